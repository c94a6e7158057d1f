// Block 0 reads the clock when it begins and when it ends, and that is told as the kernel's time.
#pragma once

#include "problem.hpp"

#include <cstdio>

namespace trap_clock_of_one_block {

inline const char *why =
    "clock64() is a counter of one multiprocessor, and block 0 knows when block 0 began and ended. "
    "Other blocks run elsewhere, or later. Time a kernel from outside, with events.";

__global__ void sum_of_squares(const int *in, size_t n, Sum *sums, long long *cycles) {
  const long long start = clock64();
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
  for (size_t i = thread; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x)
    sum += square(in[i]);
  sums[thread] = sum;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *cycles = clock64() - start;
}

struct Times {
  double claimed_ms; // block 0's cycles, at the device's clock rate
  double real_ms; // events around the kernel
};

inline Times times;

// Several times as many blocks as the device holds at a time, so that most of them have to wait.
inline void run(SumOfSquares &p) {
  const unsigned threads = 256;
  const unsigned blocks = 16 * blocks_to_fill(threads);
  lab::DeviceBuffer<Sum> d_sums(static_cast<size_t>(blocks) * threads);
  lab::DeviceBuffer<long long> d_cycles(1);
  lab::EventTimer events;
  events.start();
  sum_of_squares<<<blocks, threads>>>(p.d_in.data(), p.n, d_sums.data(), d_cycles.data());
  LAB_CHECK_LAUNCH();
  events.stop();
  times.real_ms = events.ms();
  times.claimed_ms =
      static_cast<double>(d_cycles.at(0)) / lab::device_attribute(cudaDevAttrClockRate);
}

inline lab::Verdict check(SumOfSquares &) {
  if (times.claimed_ms >= 0.5 * times.real_ms)
    return lab::Verdict::right();
  char text[160];
  snprintf(text,
           sizeof text,
           "block 0's clock tells of %.4f ms, the kernel took %.4f ms",
           times.claimed_ms,
           times.real_ms);
  return lab::Verdict::wrong(text);
}

} // namespace trap_clock_of_one_block
