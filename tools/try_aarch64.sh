#!/usr/bin/env bash
# Cross-builds chapters for 64-bit ARM, runs them under qemu and compares what the instruments count with
# what they count here: tools/try_aarch64.sh [BUILD] [OUT] [CHAPTER…]
#
#   BUILD    build folder of the cpu preset, with the same chapters' observed programs (default: build/cpu)
#   OUT      build folder for ARM (default: build/aarch64)
#   CHAPTER  default: 01_hello_threads 05_reduction 10_warp_primitives
#
# Needs Debian's g++-aarch64-linux-gnu and qemu-user-static. To build takes minutes, so no test does it: the
# test emulator.aarch64 tries the switch between stacks only.
#
# Exit: 0 all steps right and all counts equal, 1 something differs, 2 wrong usage, 77 a tool is missing.
set -euo pipefail
if [ "${1:-}" = --help ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
here=${1:-$root/build/cpu} arm=${2:-$root/build/aarch64}
chapters=("${@:3}")
[ ${#chapters[@]} -gt 0 ] || chapters=(01_hello_threads 05_reduction 10_warp_primitives)
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v "$tool" >/dev/null || {
    echo "try_aarch64: $tool is missing: install g++-aarch64-linux-gnu and qemu-user-static" >&2
    exit 77
  }
done
libraries=/usr/aarch64-linux-gnu
cmake -S "$root" -B "$arm" -G Ninja -DBF_BACKEND=cpu -DBF_TESTS=OFF -DBF_TUTOR=OFF -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64-static;-L;$libraries" \
  -Dnlohmann_json_DIR=/usr/share/cmake/nlohmann_json >/dev/null
targets=()
for chapter in "${chapters[@]}"; do targets+=("$chapter" "$chapter.observed"); done
cmake --build "$arm" --target "${targets[@]}"
cmake --build "$here" --target "${targets[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for chapter in "${chapters[@]}"; do
  program=chapters/$chapter/$chapter
  if ! qemu-aarch64-static -L "$libraries" "$arm/$program" --check-only >"$work/log" 2>&1; then
    tail -n 5 "$work/log"
    echo "try_aarch64: $chapter fails" >&2
    failed=1
    continue
  fi
  for side in here arm; do
    run=()
    [ $side = here ] || run=(qemu-aarch64-static -L "$libraries")
    EMU_OBSERVE=1 EMU_OBSERVE_COUNTS="$work/$side.counts" EMU_OBSERVE_TO=nowhere \
      "${run[@]}" "${!side}/$program.observed" --check-only >/dev/null 2>&1 || true
  done
  if [ -s "$work/here.counts" ] && diff "$work/here.counts" "$work/arm.counts" >"$work/diff"; then
    echo "$chapter: right, and $(wc -l <"$work/here.counts") lines with equal counts"
  else
    head -n 10 "$work/diff"
    echo "try_aarch64: $chapter: counts differ (< here, > ARM)" >&2
    failed=1
  fi
done
exit $failed
