#!/bin/sh
# the pages' bundles as C source: build.sh OUT.c. where they cannot be made the source says why, and the next build tries again
set -eu
out=$1
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")"
made=${out%.c}.made # not there: the next build tries again
rm -f "$made"

without() {
  printf '%s: pages (.html) are left out of this build\n' "$1" >&2
  cat >"$out" <<END
/* written by viewer/build.sh */
#include "report/report.h"

const tn_bundle tn_bundles[] = {{NULL, NULL, 0, NULL, 0, NULL}};
const char *const tn_bundles_missing = "$1";
END
  [ -z "${TENON_NO_VIEWER:-}" ] || : >"$made"
  exit 0
}

[ -z "${TENON_NO_VIEWER:-}" ] || without "it was built without its viewer"
command -v npm >/dev/null && command -v node >/dev/null || without "no npm was found when it was built"
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --omit=dev --loglevel=error >&2 || without "npm could not fetch its packages when it was built"
fi
node build.mjs "$out" || without "its viewer could not be bundled when it was built"
: >"$made"
