#!/bin/bash
# Do clang's CUDA mode and the model's headers still go together with the emulator's? headers.sh WORK FOLDER…
# with the model's first, which stand in for some of the others.
# (Where they do not, no kernel has PTX, and the model has nothing to say.)
set -eu
command -v clang++ >/dev/null || { echo "skipped: there is no clang++"; exit 77; }
work=$1
shift
rm -rf "$work" && mkdir -p "$work"
cat >"$work/copy.cu" <<'END'
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
__global__ void copy(const float *in, float *out) { if (__CUDA_ARCH__ == 900) out[threadIdx.x] = in[threadIdx.x]; }
__global__ void by_phases(const float *in, float *out) {
  __shared__ float s_tile[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> s_full;
  if (threadIdx.x == 0)
    init(&s_full, 32);
  __syncthreads();
  cuda::memcpy_async(&s_tile[threadIdx.x], in + threadIdx.x, sizeof(float), s_full);
  s_full.arrive_and_wait();
  out[threadIdx.x] = s_tile[31 - threadIdx.x];
}
END
clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -nogpulib -S -std=c++20 -O3 -w \
  -Xclang -target-feature -Xclang +ptx71 -Wno-unknown-cuda-version -Xclang -fcuda-allow-variadic-functions -U__CUDA_ARCH__ -D__CUDA_ARCH__=900 \
  "${@/#/-isystem}" -include "$1/prelude.hpp" "$work/copy.cu" -o "$work/copy.ptx"
grep -q 'ld\.global' "$work/copy.ptx" || { echo "the PTX of a copy loads nothing"; exit 1; }
grep -q 'atom.*\.cas\.b64' "$work/copy.ptx" || { echo "the PTX of a barrier with phases counts no arrivals"; exit 1; }
if grep -q 'call.*_ZN3emu' "$work/copy.ptx"; then echo "the PTX of a barrier with phases calls the emulator"; exit 1; fi
