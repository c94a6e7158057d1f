#!/usr/bin/env bash
# Holds the emulator against HIP-CPU: emulator/benchmarks/against_hip_cpu.sh HIP_CPU [BUILD] [ROUNDS]
#
#   HIP_CPU  a copy of https://github.com/ROCm/HIP-CPU (headers only; it needs TBB: libtbb-dev)
#   BUILD    build folder of the cpu preset (default: build/cpu) with emulator_barrier_kernels
#   ROUNDS   runs of each, in turn (default: 11)
#
# The same two kernels, 2^22 elements in blocks of 256 threads, g++ -O2 for both and -O3
# -march=native for HIP-CPU as well. Prints medians of million elements a second: of processor time,
# which other programs on the machine hardly change, and of wall time on all cores.
#
# Exit: 0 measured, 1 a program failed, 2 wrong usage, 3 HIP-CPU does not compile here.
set -u

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
hip=$1
build=${2:-build/cpu}
rounds=${3:-11}
here=$(cd "$(dirname "$0")" && pwd)
ours=$build/emulator/benchmarks/emulator_barrier_kernels
if [ ! -x "$ours" ]; then
  echo "against_hip_cpu: $ours is not built; build the target emulator_barrier_kernels" >&2
  exit 2
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

for flags in "-O2" "-O3 -march=native"; do
  # shellcheck disable=SC2086 # flags are words
  g++ -std=c++17 $flags -fopenmp-simd -DUSE_HIP_CPU -I"$hip/include" -x c++ "$here/barrier_kernels.cu" \
    -o "$work/hip${flags%% *}" -ltbb -lpthread -ldl 2>"$work/log" || {
    head -n 5 "$work/log" >&2
    echo "against_hip_cpu: HIP-CPU does not compile here; is libtbb-dev installed?" >&2
    exit 3
  }
done
for ((round = 0; round < rounds; ++round)); do
  for program in "$ours" "$work/hip-O2" "$work/hip-O3"; do
    "$program" | sed "s|^|$(basename "$program") |" >>"$work/times"
    [ "${PIPESTATUS[0]}" -eq 0 ] || { echo "against_hip_cpu: $program failed" >&2; exit 1; }
  done
done
median() { # median PROGRAM KERNEL COLUMN
  awk -v p="$1" -v k="$2" -v c="$3" '$1 == p && $2 == k { print $c }' "$work/times" | sort -n |
    awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] }'
}
echo "| kernel | emulator: per processor second, wall | HIP-CPU -O2 | HIP-CPU -O3 -march=native |"
echo "|---|---|---|---|"
for kernel in interleaved sequential; do
  printf '| %s' $kernel
  for program in "$(basename "$ours")" hip-O2 hip-O3; do
    printf ' | %s, %s' "$(median "$program" $kernel 3)" "$(median "$program" $kernel 4)"
  done
  echo ' |'
done
