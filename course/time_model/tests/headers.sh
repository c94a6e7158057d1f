#!/bin/bash
# Do clang's CUDA mode and the model's headers still go together with the emulator's? headers.sh ROOT WORK
# (Where they do not, no kernel has PTX, and the model has nothing to say.)
set -eu
command -v clang++ >/dev/null || { echo "skipped: there is no clang++"; exit 77; }
rm -rf "$2" && mkdir -p "$2"
cp -r "$1/emulator/include/." "$1/course/time_model/device/." "$2"
echo '__global__ void copy(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }' >"$2/copy.cu"
clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -nogpulib -S -std=c++20 -O3 -w \
  -Xclang -target-feature -Xclang +ptx71 -Wno-unknown-cuda-version -Xclang -fcuda-allow-variadic-functions \
  -isystem "$2" -include "$2/prelude.hpp" "$2/copy.cu" -o "$2/copy.ptx"
grep -q 'ld\.global' "$2/copy.ptx" || { echo "the PTX of a copy loads nothing"; exit 1; }
