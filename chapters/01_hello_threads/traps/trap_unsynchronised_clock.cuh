// A trap: this code is wrong on purpose.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

#include <cstdio>

namespace trap_unsynchronised_clock {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    distance[i] = euclidean(a[i], b[i]);
}

struct Times {
  double claimed_ms; // what the clock said when the launch had returned
  double real_ms; // what it said when the kernel was done
};

inline Times times;

inline void run(Points &p) {
  LAB_CHECK(cudaDeviceSynchronize());
  const lab::HostTimer timer;
  distances<<<1, 1>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
  times.claimed_ms = timer.ms(); // nobody waited for the kernel
  LAB_CHECK(cudaDeviceSynchronize());
  times.real_ms = timer.ms();
}

inline lab::Verdict check(Points &) {
  if (times.claimed_ms >= 0.5 * times.real_ms)
    return lab::Verdict::right();
  char text[120];
  snprintf(text,
           sizeof text,
           "the clock was stopped after %.4f ms, the kernel was done after %.4f ms",
           times.claimed_ms,
           times.real_ms);
  return lab::Verdict::wrong(text);
}

} // namespace trap_unsynchronised_clock
