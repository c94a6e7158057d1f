#pragma once

#include "problem.hpp"

#include <string>

namespace demo_one_block {

// v1 with chunks of any length that is long enough.
__global__ void in_chunks(const int *in, size_t n, size_t chunk, Sum *partials) {
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = threadIdx.x * chunk; i < (threadIdx.x + 1) * chunk && i < n; ++i)
    sum += square(in[i]);
  partials[threadIdx.x] = sum;
}

__global__ void in_turn(const int *in, size_t n, Sum *partials) { // v2
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    sum += square(in[i]);
  partials[threadIdx.x] = sum;
}

/// Runs and checks one launch; prints the cycles of a round, in which each thread reads one int.
template <class Launch>
void column(lab::Demo &demo, SumOfSquares &p, unsigned threads, const char *key, Launch launch) {
  demo.check(p, [&] {
    launch();
    p.partials = threads;
  });
  const auto cycles = [&] {
    const int khz = lab::device_attribute(cudaDevAttrClockRate);
    const double ms = lab::measure(launch, {.reps = 3, .warm_up = 1, .cold_l2 = true}).median_ms;
    return ms * khz / (static_cast<double>(p.n) / threads);
  };
  demo.say_timed(
      std::string(key) + "_" + std::to_string(threads), "%14.0f", cycles, "         right");
}

inline void run(lab::Demo &demo) {
  SumOfSquares p(lab::Case{demo.timed() ? 1u << 22 : 1u << 14, 0, demo.seed()});
  demo.say("%8s%14s%14s%14s\n", "threads", "chunks", "one longer", "in turn");
  for (unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
    const size_t chunk = p.n / threads; // powers of two, both
    demo.say("%8u", threads);
    column(demo, p, threads, "chunks", [&] {
      in_chunks<<<1, threads>>>(p.d_in.data(), p.n, chunk, p.d_partials.data());
    });
    column(demo, p, threads, "longer", [&] {
      in_chunks<<<1, threads>>>(p.d_in.data(), p.n, chunk + 1, p.d_partials.data());
    });
    column(demo, p, threads, "in_turn", [&] {
      in_turn<<<1, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
    });
    demo.say("\n");
  }
  demo.say("\n%s; one longer: chunks of one int more\n",
           demo.timed() ? "cycles per round, in which each thread reads one int" : "all sums");
}

} // namespace demo_one_block
