// Was:   all warps of a block count in the same 256 words.
// Now:   each warp has bins of its own; the block adds them up at the end.
// Watch: wavefronts per shared atomic: as before, for the lanes of one warp still meet in banks.
#pragma once

#include "problem.hpp"

namespace v4 {

__device__ inline void count_four(unsigned *s_counts, unsigned four) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    atomicAdd(&s_counts[four >> shift & 255], 1u);
}

__device__ inline void count(unsigned *s_counts, uint4 v) {
  count_four(s_counts, v.x);
  count_four(s_counts, v.y);
  count_four(s_counts, v.z);
  count_four(s_counts, v.w);
}

__global__ void histogram(const Byte *in, size_t n, unsigned *counts) {
  extern __shared__ unsigned s_all[]; // [warps of the block][bins]
  const unsigned warps = blockDim.x / 32;
  for (unsigned i = threadIdx.x; i < warps * bins; i += blockDim.x)
    s_all[i] = 0;
  __syncthreads();

  unsigned *s_counts = s_all + threadIdx.x / 32 * bins; // of this warp
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const uint4 *in16 = reinterpret_cast<const uint4 *>(in); // d_in is aligned to 256 bytes
  for (size_t i = first; i < n / 16; i += threads)
    count(s_counts, in16[i]);
  if (first < n % 16) // the 0 to 15 bytes after the last uint4
    atomicAdd(&s_counts[in[n - n % 16 + first]], 1u);
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned sum = 0;
    for (unsigned warp = 0; warp < warps; ++warp)
      sum += s_all[warp * bins + bin];
    atomicAdd(&counts[bin], sum);
  }
}

inline void run(Histogram &p) {
  empty_bins(p);
  const size_t shared = sizeof(unsigned) * bins * static_cast<unsigned>(p.block) / 32;
  histogram<<<blocks_to_fill(p.n, p.block), p.block, shared>>>(p.d_in.data(), p.n, p.d_bins.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v4
