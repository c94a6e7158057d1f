// v1 without the call that allows a kernel more than 48 KB, and without a look at the launch's error.
#pragma once

#include "problem.hpp"

namespace trap_nobody_asked {

inline const char *why =
    "beyond 48 KB a kernel has to be allowed its shared memory: cudaFuncSetAttribute() with "
    "cudaFuncAttributeMaxDynamicSharedMemorySize. Without it the launch is refused and nothing "
    "runs; who does not ask for the error goes on with what lay there.";

constexpr int threads = 256;
constexpr size_t shared = entries * sizeof(float); // 64 KB

__global__ void calibrate(const unsigned *in, size_t n, const float *table, float *out) {
  extern __shared__ float s_table[]; // [entries]
  for (unsigned i = threadIdx.x; i < entries; i += blockDim.x)
    s_table[i] = table[i];
  __syncthreads();
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = s_table[in[i] & code_mask];
}

inline void run(Readings &p) {
  const unsigned blocks = static_cast<unsigned>((p.n + threads - 1) / threads);
  calibrate<<<blocks, threads, shared>>>(p.d_in.data(), p.n, p.d_table.data(), p.d_out.data());
  // What is missing: LAB_CHECK_LAUNCH(). (The error is fetched all the same, and not looked at: it
  // would turn up in the next call that asks.)
  static_cast<void>(cudaGetLastError());
}

} // namespace trap_nobody_asked
