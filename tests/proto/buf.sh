#!/bin/sh
# buf.sh lint | breaking: checks the protos with the pinned buf, which `npm ci --ignore-scripts` in this folder brings.
# The package is that of one platform, amd64; elsewhere the checks are skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
buf="$here/node_modules/@bufbuild/buf-linux-x64/bin/buf"
if [ ! -x "$buf" ]; then
  echo "buf is not here: run 'npm ci --ignore-scripts' in tests/proto" >&2
  [ "${REGRESSD_REQUIRE_SHARED:-}" = 1 ] && exit 1
  exit 77
fi
cd "$here/../../proto"
case "$1" in
  lint) exec "$buf" lint ;;
  breaking) exec "$buf" breaking --against "$here/first.binpb" ;;
  *) echo "buf.sh: lint or breaking, not '$1'" >&2; exit 2 ;;
esac
