#!/usr/bin/env bash
# Holds the emulator against an earlier commit and against PoCL, in one run:
# emulator/benchmarks/compare.sh [--record] [COMMIT] [BUILD] [ROUNDS]
#
#   --record  writes the table into README.md beside this script, too
#   COMMIT  the other one to build, with these benchmarks (default: the one before)
#   BUILD   build folder of the cpu preset (default: build/cpu)
#   ROUNDS  runs of each, in turn (default: 5)
#
# Prints medians of million units (elements, launches) per second of processor time, which other programs
# on the machine hardly change, and what the emulator is of the others. Observed runs: EMU_OBSERVE=1. Of observed
# chapters: runs per second of processor time, and by the clock, which wants a machine that does nothing else.
#
# Exit: 0 measured, 1 a program failed, 2 wrong usage.
set -euo pipefail
if [ "${1:-}" = --help ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
fi
record=
if [ "${1:-}" = --record ]; then
  record=1
  shift
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
commit=$(git -C "$root" rev-parse --verify --quiet "${1:-HEAD^}^{commit}") || {
  echo "compare: no commit ${1:-HEAD^}; give one that git rev-parse knows" >&2
  exit 2
}
build=$(realpath "${2:-$root/build/cpu}") rounds=${3:-5}
work=$(mktemp -d)
trap 'git -C "$root" worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT

git -C "$root" worktree add --quiet --detach "$work/tree" "$commit"
rm -r "$work/tree/emulator/benchmarks"
cp -r "$root/emulator/benchmarks" "$work/tree/emulator/benchmarks"
cmake -S "$work/tree" -B "$work/build" -G Ninja -DBF_BACKEND=cpu -DBF_TESTS=OFF -DBF_TUTOR=OFF \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
chapters=(03_coalescing_transpose 05_reduction 06_atomics 10_warp_primitives)
targets=(emulator_benchmarks emulator_benchmarks.observed "${chapters[@]/%/.observed}")
cmake --build "$work/build" --target "${targets[@]}" >/dev/null
cmake --build "$build" --target "${targets[@]}" >/dev/null
pocl=$build/emulator/benchmarks/pocl_benchmarks
cmake --build "$build" --target pocl_benchmarks >/dev/null 2>&1 || pocl=

run() { # run NAME PREFIX COMMAND...
  local name=$1 prefix=$2
  shift 2
  "$@" 2>/dev/null | sed "s|^|$name $prefix|" >>"$work/times" || {
    echo "compare: $* failed" >&2
    exit 1
  }
}
observed_chapter() { # observed_chapter FOLDER NAME
  local TIMEFORMAT='%R %U %S' taken
  taken=$({ time EMU_OBSERVE=1 EMU_OBSERVE_TO=nowhere "$1/chapters/$2/$2.observed" >/dev/null 2>&1; } 2>&1) || return
  awk -v name="$2" '{ printf "%s %.3f\n%s_by_the_clock %.3f\n", name, 1 / ($2 + $3), name, 1 / $1 }' <<<"$taken"
}
for ((round = 0; round < rounds; ++round)); do
  for side in "now $build" "before $work/build"; do
    read -r name folder <<<"$side"
    run "$name" "" "$folder/emulator/benchmarks/emulator_benchmarks"
    for kernel in vector_add reduce_sequential; do
      EMU_OBSERVE=1 run "$name" observed_ "$folder/emulator/benchmarks/emulator_benchmarks.observed" $kernel
    done
    for chapter in "${chapters[@]}"; do
      run "$name" observed_ observed_chapter "$folder" "$chapter"
    done
  done
  [ -z "$pocl" ] || run pocl "" "$pocl"
done
table() {
  awk '
  { key = $1 " " $2; value[key, ++count[key]] = $3; if ($1 == "now" && !seen[$2]++) order[++kernels] = $2 }
  function median(key,   n, i, j, t) {
    n = count[key]
    for (i = 2; i <= n; ++i)
      for (j = i; j > 1 && value[key, j - 1] > value[key, j]; --j) {
        t = value[key, j]; value[key, j] = value[key, j - 1]; value[key, j - 1] = t
      }
    return n ? value[key, int((n + 1) / 2)] : 0
  }
  function ratio(a, b) { return b ? sprintf("%.2f", a / b) : "" }
  END {
    print "| kernel | now | before | PoCL | now / before | now / PoCL |"
    print "|---|---|---|---|---|---|"
    for (k = 1; k <= kernels; ++k) {
      now = median("now " order[k]); old = median("before " order[k]); pocl = median("pocl " order[k])
      printf "| %s | %s | %s | %s | %s | %s |\n", order[k], now, old, pocl ? pocl : "", ratio(now, old), ratio(now, pocl)
    }
  }' "$work/times"
}
table
[ -n "$record" ] || exit 0
{
  readme=$(dirname "$0")/README.md
  sed '/<!-- table -->/q' "$readme"
  printf '\nMillion elements, or launches, per second of processor time on an %s, compiled by %s, medians of %s\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(c++ --version | head -n 1)" "$rounds"
  printf 'runs each in turn; "before" is %s.\n\n' "$(git -C "$root" log -1 --format='%h of %cs' "$commit")"
  table
  printf '\n'
  sed -n '/<!-- end of the table -->/,$p' "$readme"
} >"$work/readme"
cp "$work/readme" "$(dirname "$0")/README.md"
