// Was:   each lane read in a chunk of its own: 32 sectors for 32 ints, of which little was used.
// Now:   the threads take turns: thread t takes t, t + 256, t + 512 and so on.
// Watch: sectors per request: 4, the fewest that hold 32 ints. All bytes moved are used.
#pragma once

#include "problem.hpp"

namespace v2 {

__global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  const unsigned tid = threadIdx.x;
  Sum sum = 0;
  for (size_t i = tid; i < n; i += blockDim.x)
    sum += square(in[i]);
  partials[tid] = sum;
}

inline void run(SumOfSquares &p) {
  const unsigned threads = 256;
  sum_of_squares<<<1, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
  LAB_CHECK_LAUNCH();
  p.partials = threads;
}

} // namespace v2
