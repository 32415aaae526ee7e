#!/usr/bin/env bash
# From a fresh Debian 12 or 13 to a flagged regression: installs what is missing, builds, starts regressd on a PostgreSQL of
# its own, measures a real kernel behaviour five times each way, and shows the table, the regression, its page and its mail.
#
#   deploy/quickstart.sh [--with-swap] [--keep] [--runtime SECONDS] [--runs N]
#
#   --with-swap  real swapping in place of page faults: memory read back from a swap file with and without the kernel's
#              readahead (vm.page-cluster); as root. What it sets is set back, and that is checked at the end
#   --keep     leave regressd running at the end and say how to stop it
#   --runtime  length of one run of the workload (default 5)
#   --runs     runs a side (default 5)
#
# Leaves packages, build/release and its data directory (REGRESSD_QUICKSTART_DIR; default /var/lib/regressd-quickstart for
# root, ~/.local/share/regressd-quickstart for others). Calling it again adds to what is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

keep='' with_swap='' runtime=5 runs=5
while [ $# -gt 0 ]; do
  case "$1" in
    --keep) keep=1; shift ;;
    --with-swap) with_swap=1; shift ;;
    --runtime) runtime=${2:?--runtime needs seconds}; shift 2 ;;
    --runs) runs=${2:?--runs needs a number}; shift 2 ;;
    -h | --help) sed -n '2,14s/^# \{0,1\}//p' deploy/quickstart.sh; exit 0 ;;
    *) echo "deploy/quickstart.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
done
if [ -n "$with_swap" ] && [ "$(id -u)" != 0 ]; then
  echo "--with-swap makes a swap file, a memory cgroup and a sysctl for each run: call it as root, or by sudo" >&2
  exit 2
fi

if [ "$(id -u)" = 0 ]; then
  home=${REGRESSD_QUICKSTART_DIR:-/var/lib/regressd-quickstart}
else
  home=${REGRESSD_QUICKSTART_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/regressd-quickstart}
fi
bin=$PWD/build/release/bin
step() { printf '\n== %s\n' "$1"; }

step "1/6 Packages"
install_packages "${BUILD_PACKAGES[@]}" "${RUN_PACKAGES[@]}"
share_compiler_cache
echo "all there"

step "2/6 Build (a few minutes the first time)"
mkdir -p build
if ! { cmake --preset release -DREGRESSD_BUILD_TESTS=OFF && cmake --build --preset release --target regressd regress-agent regressctl; } \
    >build/quickstart-build.log 2>&1; then
  tail -n 40 build/quickstart-build.log >&2
  echo "The build failed; its whole log is build/quickstart-build.log" >&2
  exit 1
fi
echo "$bin: regressd, regress-agent, regressctl"

step "3/6 Start regressd on a PostgreSQL of its own"
mkdir -p "$home"
chmod 711 "$home"
ports=$home/ports.json
rm -f "$ports"
# Settings of this shell must not reach the server that is started here.
unset "${!REGRESSD_@}" DATABASE_URL
REGRESSD_DATA_DIR=$home/data REGRESSD_GRPC_LISTEN=127.0.0.1:0 REGRESSD_HTTP_LISTEN=127.0.0.1:0 REGRESSD_LOG_FORMAT=text \
  setsid "$bin/regressd" --ports-file "$ports" >"$home/regressd.log" 2>&1 &
server=$!
stop_server() {
  kill -TERM "$server" 2>/dev/null || return 0
  wait "$server" 2>/dev/null || true
}
trap stop_server EXIT
for _ in $(seq 600); do
  [ -s "$ports" ] && break
  if ! kill -0 "$server" 2>/dev/null; then
    tail -n 20 "$home/regressd.log" >&2
    echo "regressd did not start; its log is $home/regressd.log" >&2
    exit 1
  fi
  sleep 0.1
done
[ -s "$ports" ] || { echo "regressd did not come up within a minute; its log is $home/regressd.log" >&2; exit 1; }
port() { sed -n "s/.*\"$1\" *: *\([0-9]*\).*/\1/p" "$ports"; }
REGRESSD_SERVER=127.0.0.1:$(port grpc_port)
export REGRESSD_SERVER REGRESS_AGENT_SPOOL_DIR=$home/spool
page=http://127.0.0.1:$(port http_port)
echo "gRPC at $REGRESSD_SERVER, pages at $page, data in $home/data"

step "4/6 What is compared"
tasks=$(nproc)
thp=$(sed -n 's/.*\[\([a-z]*\)\].*/\1/p' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || true)
# Options of `regress-agent run` on each side, and of the workload on each side.
base_run=() head_run=() base_workload=() head_workload=()
if [ -n "$with_swap" ]; then
  testcase=swap-r-seq parameters=(--param "nr_task=$tasks" --param size=1G)
  workload=(swap-r-seq --tasks "$tasks" --size 1g)
  swap_run=(--memcg 256M --setup-swap file:1536M --swap-dir "$home" --monitor all --no-monitor perf-lock --no-monitor vmstat-tool --profile-window 2)
  base_run=("${swap_run[@]}" --set vm.page-cluster=3) head_run=("${swap_run[@]}" --set vm.page-cluster=0)
  base_subject="swap: read ahead eight pages" head_subject="swap: read back page by page"
  seen='^vmstat\.swap\.|^proc-vmstat\.(pswp|pgscan|pgsteal|pgmajfault|swap_ra)|^perf-stat\.i\..*(faults|vmscan)|^perf-profile\.(self|children)\.'
  length="1 GiB each"
  echo "swap-r-seq in a cgroup of 256 MiB on a swap file, with vm.page-cluster=3 (base) and 0 (head)."
else
  testcase=page-fault1 parameters=(--param "nr_task=$tasks" --param "runtime=${runtime}s")
  workload=(page-fault1 --processes --tasks "$tasks" --runtime "$runtime")
  seen='^vmstat\.(system|cpu)\.|^perf-stat\.i\.[a-z-]*(faults|switches)(:u)?$'
  length="$runtime s each"
  if [ "$thp" = always ] || [ "$thp" = madvise ]; then
    base_workload=(--thp always) head_workload=(--thp never)
    base_subject="page-fault1: advise huge pages" head_subject="page-fault1: advise against huge pages"
    echo "page-fault1 with huge pages advised (base) and advised against (head); transparent_hugepage is '$thp'."
  else
    base_workload=(--populate)
    base_subject="page-fault1: populate mappings at once" head_subject="page-fault1: fault pages one by one"
    echo "transparent_hugepage is '${thp:-not there}', so page-fault1 with mappings populated at once (base) and page by page (head)."
  fi
fi
# A tree of its own whose two commits hold the setting under test, so that base and head are real commits with parents.
tree=$home/tree
if [ ! -d "$tree/.git" ]; then
  git init -q -b main "$tree"
fi
commit_setting() {
  printf '%s\n' "$1" >"$tree/$testcase.options"
  git -C "$tree" add "$testcase.options"
  git -C "$tree" -c user.name=quickstart -c user.email=quickstart@localhost commit -q --allow-empty -m "$2"
  git -C "$tree" rev-parse HEAD
}
base=$(commit_setting "${base_run[*]} ${base_workload[*]}" "$base_subject")
head=$(commit_setting "${head_run[*]} ${head_workload[*]}" "$head_subject")
"$bin/regressctl" commits add --repo "$tree" --branch main HEAD
echo "base ${base:0:12} ($base_subject)"
echo "head ${head:0:12} ($head_subject)"

step "5/6 $runs base and $runs head runs, in turns, $length"
# What a run may have changed on the machine, as text.
machine_state() {
  cat /proc/swaps /proc/sys/vm/page-cluster
  find /sys/fs/cgroup -maxdepth 2 -name 'regressd-*'
  find "$home" -maxdepth 1 -name '*swap*'
}
[ -z "$with_swap" ] || state_before=$(machine_state)
run_base() { measure "$base" "${base_run[@]}" -- "$bin/regress-agent" workload "${workload[@]}" "${base_workload[@]}"; }
run_head() { measure "$head" "${head_run[@]}" -- "$bin/regress-agent" workload "${workload[@]}" "${head_workload[@]}"; }
measure() {
  local commit=$1
  shift
  "$bin/regress-agent" run --quiet --testcase "$testcase" "${parameters[@]}" --commit "$commit" "$@"
}
done_count=0
for i in $(seq "$runs"); do
  for side in base head; do
    if ! "run_$side" >"$home/run.log" 2>&1; then
      cat "$home/run.log" >&2
      exit 1
    fi
    done_count=$((done_count + 1))
    printf '  %2d/%d  run %d of %s  %s\n' "$done_count" "$((2 * runs))" "$i" "$side" \
      "$(grep -m1 -E '^(processes_ops|throughput)' "$home/run.log" || true)"
  done
done
if [ -n "$with_swap" ]; then
  if [ "$(machine_state | awk '{$4 = ""} 1')" != "$(awk '{$4 = ""} 1' <<<"$state_before")" ]; then
    echo "The machine is not as it was before. Before:" >&2
    echo "$state_before" >&2
    echo "Now:" >&2
    machine_state >&2
    exit 1
  fi
  echo "Swap, cgroups, vm.page-cluster and files are as before."
fi

step "6/6 The verdict"
id=
for _ in $(seq 300); do
  id=$("$bin/regressctl" regressions --head "$head" --format csv 2>/dev/null | sed -n '2s/,.*//p')
  [ -n "$id" ] && "$bin/regressctl" regression "$id" 2>/dev/null | grep -q "($runs runs) -> .*($runs runs)" && break
  sleep 0.1
done
if [ -z "$id" ]; then
  "$bin/regressctl" compare "$base" "$head" || true
  echo "No regression was flagged between $base and $head." >&2
  exit 1
fi
"$bin/regressctl" compare "$base" "$head"
echo "What the monitors saw, changed or not:"
echo
"$bin/regressctl" compare "$base" "$head" --all --metric "$seen"
"$bin/regressctl" regressions --head "$head"
curl -fsS -o "$home/regression-$id.html" "$page/r/$id"
echo
echo "Its page: $page/r/$id (a copy is in $home/regression-$id.html)"
echo
echo "The mail that a maintainer would get:"
echo
"$bin/regressctl" report "$id" | sed 's/^/    /'

cat <<EOF

How to go on
  start it again:   REGRESSD_DATA_DIR=$home/data $bin/regressd
  all metrics:      $bin/regressctl compare ${base:0:12} ${head:0:12} --all
  your own command: $bin/regress-agent run --testcase NAME --commit SHA -- COMMAND   (it prints 'name value unit higher|lower')
  every option:     $bin/regressctl --help, $bin/regress-agent --help, $bin/regressd --help
EOF
if [ -n "$keep" ]; then
  trap - EXIT
  echo "  regressd is running as process $server; end it with: kill $server"
  echo "  export REGRESSD_SERVER=$REGRESSD_SERVER; pages at $page"
else
  echo "  (regressd is stopped now; --keep leaves it running)"
fi
