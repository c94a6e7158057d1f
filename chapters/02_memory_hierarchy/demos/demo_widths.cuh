#pragma once

#include "problem.hpp"

namespace demo_widths {

__device__ inline Sum squares(int v) { return square(v); }
__device__ inline Sum squares(int2 v) { return square(v.x) + square(v.y); }
__device__ inline Sum squares(int4 v) {
  return square(v.x) + square(v.y) + square(v.z) + square(v.w);
}

// v4, in which one instruction loads a whole Word: 4, 8 or 16 bytes per lane.
template <class Word> __global__ void sum_of_squares(const Word *in, size_t words, Sum *partials) {
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = thread; i < words; i += static_cast<size_t>(gridDim.x) * blockDim.x)
    sum += squares(in[i]);
  partials[thread] = sum;
}

template <class Word> void row(lab::Demo &demo, SumOfSquares &p, const char *name) {
  const unsigned threads = 1024, blocks = blocks_to_fill(threads);
  const auto launch = [&] {
    sum_of_squares<<<blocks, threads>>>(
        reinterpret_cast<const Word *>(p.d_in.data()), p.n * 4 / sizeof(Word), p.d_partials.data());
    p.partials = static_cast<size_t>(blocks) * threads;
  };
  demo.check(p, launch);
  demo.say("%-8s%10zu", name, 8 * sizeof(Word));
  if (!demo.timed()) {
    demo.say("   right\n");
    return;
  }
  const double ms = lab::measure(launch, {.cold_l2 = true}).median_ms;
  const double gbps = sizeof(int) * static_cast<double>(p.n) / ms * 1e-6;
  demo.say("%12.4f%10.0f\n", ms, gbps);
  demo.value(std::string(name) + "_gbps", gbps);
}

inline void run(lab::Demo &demo) {
  SumOfSquares p(
      lab::Case{demo.timed() ? 1u << 28 : 1u << 17, 0, demo.seed()}); // a multiple of four
  demo.say("%-8s%10s%s\n", "word", "bits", demo.timed() ? "          ms      GB/s" : "   sum");
  row<int>(demo, p, "int");
  row<int2>(demo, p, "int2");
  row<int4>(demo, p, "int4");
}

} // namespace demo_widths
