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
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
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
__global__ void groups(float *f, int *i) {
  namespace cg = cooperative_groups;
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  f[0] = cg::reduce(warp, f[1], cg::plus<float>());
  i[0] = cg::reduce(cg::tiled_partition<8>(warp), i[1], cg::less<int>());
  warp.sync();
  if (i[2] > 0) {
    const auto here = cg::coalesced_threads();
    f[2] = cg::exclusive_scan(here, f[3]) + cg::reduce(here, f[4], cg::greater<float>());
  }
}
__global__ void meet(float *f) {
  __shared__ float s_sum[32];
  s_sum[threadIdx.x] = f[threadIdx.x];
  __syncthreads();
  s_sum[threadIdx.x] += s_sum[threadIdx.x ^ 1];
  cooperative_groups::this_thread_block().sync();
  f[threadIdx.x] = s_sum[threadIdx.x] - s_sum[threadIdx.x ^ 2];
}
__global__ void functions(unsigned *counts, float *f) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(counts[0]);
  count.fetch_add(1);
  count.fetch_max(2, cuda::memory_order_relaxed);
  __nv_atomic_fetch_or(counts, 4u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  f[0] = __int2float_rn(__float2int_rd(f[1]));
  f[2] = rhypotf(f[3], norm4df(f[4], f[5], f[6], f[7]));
}
END
clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -nogpulib -S -std=c++20 -O3 -w \
  -Xclang -target-feature -Xclang +ptx71 -Wno-unknown-cuda-version -Xclang -fcuda-allow-variadic-functions -U__CUDA_ARCH__ -D__CUDA_ARCH__=900 \
  "${@/#/-isystem}" -include "$1/prelude.hpp" "$work/copy.cu" -o "$work/copy.ptx"
for instruction in membar.gl atom.global.add.u32 atom.global.max.u32 atom.global.or.b32 cvt.rmi.s32.f32 cvt.rn.f32.s32 \
  shfl.sync.bfly.b32 redux.sync.min.s32 bar.warp.sync activemask.b32; do
  grep -q "$instruction" "$work/copy.ptx" || { echo "there is no $instruction in the PTX of what should be one"; exit 1; }
done
grep -q 'ld\.global' "$work/copy.ptx" || { echo "the PTX of a copy loads nothing"; exit 1; }
grep -q 'atom.*\.cas\.b64' "$work/copy.ptx" || { echo "the PTX of a barrier with phases counts no arrivals"; exit 1; }
[ "$(sed -n '/entry .*4meetPf/,/^}/p' "$work/copy.ptx" | grep -c 'ld\.shared')" = 4 ] || { echo "behind a barrier shared memory is not read anew"; exit 1; }
if grep -q '_ZN3emu' "$work/copy.ptx"; then echo "the PTX of barriers and of groups calls the emulator"; exit 1; fi
