#!/usr/bin/env bash
# The switch between stacks on 64-bit ARM: cross-compiled, and run under qemu. Whole chapters:
# tools/try_aarch64.sh.
#
# Exit: 0 right, 1 wrong, 77 g++-aarch64-linux-gnu or qemu-user-static is missing.
set -eu
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v "$tool" >/dev/null || {
    echo "fiber_registers: $tool is missing: install g++-aarch64-linux-gnu and qemu-user-static"
    exit 77
  }
done
emulator=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
aarch64-linux-gnu-g++ -std=c++20 -O2 -static -I "$emulator/include" -I "$emulator/src" -o "$work/program" \
  "$emulator/tests/aarch64/fiber_registers.cpp" "$emulator/src/engine/stacks.cpp"
qemu-aarch64-static "$work/program"
