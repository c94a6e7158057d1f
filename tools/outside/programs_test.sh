#!/usr/bin/env bash
# shellcheck disable=SC2016,SC2034,SC2154
# Tests programs.sh on programs that are scripts: how they are run and judged.
set -u
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
limit=1 patience=60 path=here folder=. kind=cmake chosen="" faults=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=programs.sh
. "$here/programs.sh"
cd "$work" || exit 1

expect() { # expect VERDICT SCRIPT
  printf '#!/bin/bash\n%s\n' "$2" >"$work/program"
  chmod +x "$work/program"
  run_there program
  [ "$result" = "$1" ] && [[ $(cpu_seconds) =~ ^[0-9]+$ ]] && return
  printf '%s: expected %s, got %s, %s s\n' "$2" "$1" "$result" "$(cpu_seconds)"
  faults=1
}
expect right 'echo "PASSED: 0 failed, mismatches: 0"'
expect right 'echo "hits with >=3 mismatches: 12"'
expect "says Test failed!" 'printf "0 errors\nTest failed!\nTest failed!\n"'
expect "says "$'\xff'" is wrong" 'printf "\xff is wrong\n"'
expect "exit status 3: out of luck" 'echo out of luck; exit 3'
expect "exit status 139: " 'kill -SEGV $$'
expect "no data" 'echo "cannot open input.txt"; exit 1'
expect "too long" 'while :; do :; done'
expect right '[ "${EMU_DEVICES:-1}" = 4 ] || { echo "invalid device ordinal"; exit 1; }'
expect right '[ "${EMU_MEMORY_GB:-}" ] || { echo "out of memory"; exit 1; }'
limit=2 patience=1
expect "no end in 1 s" 'sleep 30'
exit $faults
