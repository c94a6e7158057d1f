#!/usr/bin/env bash
# The switch between stacks, on processors with more registers than those that all have:
# fiber_registers.sh aarch64 (64-bit ARM: cross-compiled, and run under qemu; whole chapters: tools/try_aarch64.sh), or
# fiber_registers.sh avx512 COMPILER.
#
# Exit: 0 right, 1 wrong, 77 it cannot be tried here, and it is said why.
set -eu
skip() {
  echo "fiber_registers: $1"
  exit 77
}
case $1 in
aarch64)
  for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
    command -v "$tool" >/dev/null || skip "$tool is missing: install g++-aarch64-linux-gnu and qemu-user-static"
  done
  compiler=(aarch64-linux-gnu-g++ -O2 -static) run=qemu-aarch64-static
  ;;
avx512)
  grep -q '^flags.* avx512f' /proc/cpuinfo || skip "this processor has no AVX-512"
  compiler=("$2" -O3 -mavx512f) run=
  ;;
esac
emulator=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${compiler[@]}" -std=c++20 -I "$emulator/include" -I "$emulator/src" -o "$work/program" \
  "$emulator/tests/registers/fiber_registers.cpp" "$emulator/src/engine/stacks.cpp"
$run "$work/program"
