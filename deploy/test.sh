#!/usr/bin/env bash
# Runs everything that is tested: sanitizers, then the release build with every test. Installs what is missing first.
#
#   deploy/test.sh [--release-only] [-- CTEST ARGUMENTS]
#
# Environment: REGRESSD_REQUIRE_SHARED=1 makes a test that would be skipped fail; REGRESSD_GOLDEN_DIR and
# REGRESSD_CORPUS_DIR name the folders of right answers (default: ../shared/golden, ../shared/corpus beside the tree).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

sanitizers=1
while [ $# -gt 0 ]; do
  case "$1" in
    --release-only) sanitizers= ; shift ;;
    --) shift; break ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' deploy/test.sh; exit 0 ;;
    *) echo "deploy/test.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
done

install_packages "${BUILD_PACKAGES[@]}" "${RUN_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
share_compiler_cache

jobs=$(nproc)
export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$jobs}"
step() { printf '\n== %s (%s)\n' "$1" "$(date -u +%H:%M:%S)"; }

if [ -n "$sanitizers" ]; then
  step "AddressSanitizer and UndefinedBehaviorSanitizer: unit, golden, corpus"
  cmake --preset dev >build-dev.log 2>&1 || { cat build-dev.log; exit 1; }
  rm -f build-dev.log
  cmake --build --preset dev --target unit_tests --parallel "$jobs" -- --quiet
  ctest --preset dev "$@"

  step "ThreadSanitizer: services called from plain threads"
  cmake --preset tsan >build-tsan.log 2>&1 || { cat build-tsan.log; exit 1; }
  rm -f build-tsan.log
  cmake --build --preset tsan --target tsan_tests --parallel "$jobs" -- --quiet
  ctest --preset tsan "$@"
fi

step "Release: everything"
cmake --preset release -DREGRESSD_BUILD_TESTS=ON >build-release.log 2>&1 || { cat build-release.log; exit 1; }
rm -f build-release.log
cmake --build --preset release --parallel "$jobs" -- --quiet
(cd tests/proto && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
ctest --preset release "$@"
