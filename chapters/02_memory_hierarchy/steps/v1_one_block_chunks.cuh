// Was:   one thread, which waited for each of its reads.
// Now:   256 threads, each with a contiguous chunk of the input: while some wait, others read.
// Watch: sectors per request: 32. The lanes of a warp read at 32 places that are far apart.
#pragma once

#include "problem.hpp"

namespace v1 {

__global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  const unsigned tid = threadIdx.x;
  const size_t chunk = (n + blockDim.x - 1) / blockDim.x; // the last one may be shorter, or empty
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = tid * chunk; i < (tid + 1) * chunk && i < n; ++i)
    sum += square(in[i]);
  partials[tid] = sum;
}

inline void run(SumOfSquares &p) {
  const unsigned threads = 256;
  sum_of_squares<<<1, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
  LAB_CHECK_LAUNCH();
  p.partials = threads;
}

} // namespace v1
