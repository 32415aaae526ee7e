# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts: installs what is missing from Debian 12 or 13, without starting any service.
#
# install_packages NAME...   uses root or sudo; does nothing when all are there
# share_compiler_cache       for the build in this folder
# BUILD_PACKAGES, RUN_PACKAGES, TEST_PACKAGES: arrays of names; "a|b" is the first of them that this Debian has

BUILD_PACKAGES=(
  ca-certificates cmake g++ git ninja-build ccache pkg-config
  libabsl-dev libboost-dev libcli11-dev libcpp-httplib-dev libfmt-dev libgrpc++-dev libpq-dev libpqxx-dev
  libprotobuf-dev libre2-dev libspdlog-dev libssl-dev libtomlplusplus-dev nlohmann-json3-dev prometheus-cpp-dev
  protobuf-compiler protobuf-compiler-grpc
)
RUN_PACKAGES=(curl linux-perf postgresql procps xz-utils)
TEST_PACKAGES=(
  'grpc-proto|golang-google-grpc-dev' libbenchmark-dev libgmock-dev libgtest-dev faketime pgbouncer python3 python3-grpcio python3-protobuf
  python3-yaml make nodejs npm docker-compose
)

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo --preserve-env=DEBIAN_FRONTEND "$@"
  fi
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] && return 0
  # These two may be there from elsewhere.
  case "$1" in nodejs) command -v node ;; npm) command -v npm ;; *) false ;; esac >/dev/null
}

missing_packages() {
  local entry name
  for entry in "$@"; do
    for name in ${entry//|/ }; do
      is_installed "$name" && continue 2
    done
    echo "$entry"
  done
}

# The first name of "a|b" that this Debian has.
choose_package() {
  local name
  for name in ${1//|/ }; do
    if apt-cache show "$name" >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  echo "${1%%|*}"
}

# Debian's PostgreSQL makes and starts a cluster when it is installed, and other servers start themselves: both off.
# The guards stand only for the time of the call.
install_packages() {
  local missing guard_made=
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" = 0 ] && return 0
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "These packages are missing, and neither root nor sudo is at hand: ${missing[*]}" >&2
    return 1
  fi
  echo "Installing ${#missing[@]} packages: ${missing[*]}" >&2
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get -qq update >&2
  local i
  for i in "${!missing[@]}"; do missing[i]=$(choose_package "${missing[i]}"); done
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee /usr/sbin/policy-rc.d >/dev/null
    as_root chmod 755 /usr/sbin/policy-rc.d
    guard_made=1
  fi
  local status=0
  if [ ! -d /etc/postgresql-common ]; then
    as_root apt-get -qq -y --no-install-recommends install postgresql-common >&2 || status=$?
    as_root sed -i 's/^#\? *create_main_cluster.*/create_main_cluster = false/' \
      /etc/postgresql-common/createcluster.conf || status=$?
  fi
  [ "$status" = 0 ] && { as_root apt-get -qq -y --no-install-recommends install "${missing[@]}" >&2 || status=$?; }
  [ -n "$guard_made" ] && as_root rm -f /usr/sbin/policy-rc.d
  return "$status"
}

# Lets ccache serve a clone in one folder with what was compiled in another.
share_compiler_cache() {
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
}
