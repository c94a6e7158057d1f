#pragma once

#include "problem.hpp"

namespace demo_under_way {

// v4, but each thread asks for so many ints before it waits for the first of them.
template <unsigned reads> __global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  Sum sum = 0;
  size_t i = thread;
#pragma unroll 1
  for (; i + (reads - 1) * threads < n; i += reads * threads) {
    int value[reads];
#pragma unroll
    for (unsigned k = 0; k < reads; ++k)
      value[k] = in[i + k * threads];
#pragma unroll
    for (unsigned k = 0; k < reads; ++k)
      sum += square(value[k]);
  }
#pragma unroll 1
  for (; i < n; i += threads) // what is left, one at a time
    sum += square(in[i]);
  partials[thread] = sum;
}

template <unsigned reads> void row(lab::Demo &demo, SumOfSquares &p) {
  const unsigned threads = 1024, blocks = blocks_to_fill(threads);
  const auto launch = [&] {
    sum_of_squares<reads><<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
    p.partials = static_cast<size_t>(blocks) * threads;
  };
  demo.check(p, launch);
  const lab::Device &device = lab::choose_device();
  const unsigned kib = static_cast<unsigned>(device.max_threads_per_sm) * 4 * reads / 1024;
  demo.say("%16u%22u KiB", reads, kib);
  if (!demo.timed()) {
    demo.say("   right\n");
    return;
  }
  const double ms = lab::measure(launch, {.cold_l2 = true}).median_ms;
  const double bytes = sizeof(int) * static_cast<double>(p.n);
  demo.say("%12.0f\n", bytes / ms * 1e-6);
  const std::string key = "reads_" + std::to_string(reads);
  demo.value(key + "_gbps", bytes / ms * 1e-6);
  // One round: every thread of the device once, so many ints each.
  const double rounds = static_cast<double>(p.n) / (static_cast<double>(blocks) * threads * reads);
  demo.value(key + "_round_ns", ms * 1e6 / rounds);
}

inline void run(lab::Demo &demo) {
  SumOfSquares p(lab::Case{demo.n_or(demo.timed() ? 1u << 28 : 1000003), 0, demo.seed()});
  demo.say("%16s%26s%s\n",
           "reads per thread",
           "under way per SM",
           demo.timed() ? "        GB/s" : "   sum");
  row<1>(demo, p);
  row<2>(demo, p);
  row<4>(demo, p);
  row<8>(demo, p);
}

} // namespace demo_under_way
