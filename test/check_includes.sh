#!/bin/sh
# data flows one way: a file in src/X includes public headers, headers of X, and <folder>/<folder>.h of folders before X.
# cli, and mpi with it, include public headers and cli.h only. parts of stabilize and integrate see tenon/extend.h alone, as those from
# outside do: their files include that and headers of their folder, which include no more. prints file:line of every include that goes against this. usage: check_includes.sh [root]
# a header of test/support does not include simulate/simulate.h: a test that looks into a simulation says so itself.
set -eu
cd "${1:-$(dirname "$0")/..}"

if [ -d test/support ] && grep -n '^#include "simulate/' test/support/*.h; then
  echo "a header of test/support may not show the inside of a simulation to every test"
  exit 1
fi

find src include -name '*.[ch]' | LC_ALL=C sort | xargs awk '
  BEGIN {
    n = split("base linalg read model body joint force assemble formulate stabilize integrate simulate record draw graph report " \
              "study cli mpi", flow, " ")
    for (i = 1; i <= n; i++) place[flow[i]] = i
    n = split("stabilize integrate", parts, " ")
    for (i = 1; i <= n; i++) sees_extend[parts[i]] = 1
  }
  function bad(why) { printf "%s:%d: \"%s\": %s\n", FILENAME, FNR, header, why; failed = 1 }
  FNR == 1 {
    files++
    split(FILENAME, part, "/")
    mine = part[1] == "src" ? part[2] : "include"
    if (mine == "mpi") mine = "cli"
    if (mine != "include" && !(mine in place)) { header = mine; bad("a folder that has no place in the flow") }
  }
  /^[ \t]*#[ \t]*include/ {
    header = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
    quoted = header ~ /^"/
    if (!quoted && header !~ /^</) { bad("name the header"); next }
    header = substr(header, 2)
    sub(/[">].*/, "", header)
    folder = header
    if (!sub(/\/.*/, "", folder)) folder = ""
    ours = folder == "tenon" || folder in place
    if (!quoted) { if (ours) bad("a header of ours, write it in quotes"); next }

    if (mine in sees_extend && header != "tenon/extend.h" && folder != mine)
      bad("parts of " mine " see tenon/extend.h alone")
    else if (folder == "tenon") {
      if (mine == "include" || header == "tenon/tenon.h") next
      if (header == "tenon/study.h" && (mine == "study" || mine == "cli")) next
      if (header == "tenon/extend.h" && mine != "cli") next
      bad(mine " may not include it")
    }
    else if (mine == "cli" && header == "cli.h") next
    else if (mine == "include") bad("public headers include public headers only")
    else if (mine == "cli") bad("cli includes public headers and cli.h only")
    else if (!(folder in place)) bad("write <folder>/<file>.h, from src")
    else if (folder == mine) next
    else if (place[folder] > place[mine]) bad(folder " comes after " mine)
    else if (header != folder "/" folder ".h") bad("a member of another folder; only " folder "/" folder ".h may be included")
  }
  END {
    if (!failed) printf "%d files include along the flow\n", files
    exit failed
  }'
