// What has no atomic of its own is made of atomicCAS: read, compute, and write only if nobody has
// written meanwhile; else begin again with what they wrote.
#pragma once

#include "problem.hpp"

#include <cmath>

namespace demo_compare_and_swap {

// The largest float. NaN is passed over, as fmaxf does. Bits are compared, not floats: NaN differs
// from itself, and 0 equals -0.
__device__ inline void atomic_max(float *address, float value) {
  unsigned *bits = reinterpret_cast<unsigned *>(address);
  unsigned seen = atomicAdd(bits, 0u); // a plain read of what others change would be a race
  while (!(__uint_as_float(seen) >= value) && !isnan(value)) {
    const unsigned before = atomicCAS(bits, seen, __float_as_uint(value));
    if (before == seen)
      break;
    seen = before;
  }
}

// The sum of doubles as it was written before GPUs had it.
__device__ inline void atomic_add(double *address, double value) {
  auto *bits = reinterpret_cast<unsigned long long *>(address);
  unsigned long long seen = atomicAdd(bits, 0ull), before;
  do {
    before = seen;
    const double sum = __longlong_as_double(static_cast<long long>(before)) + value;
    seen = atomicCAS(bits, before, static_cast<unsigned long long>(__double_as_longlong(sum)));
  } while (seen != before);
}

__global__ void largest_and_sum(const float *in, unsigned n, float *largest, double *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomic_max(largest, in[i]);
  if (!isnan(in[i]))
    atomic_add(sum, static_cast<double>(in[i]));
}

inline void run(lab::Demo &demo) {
  const unsigned n = 5000;
  std::vector<float> h_in(n);
  lab::fill_random(h_in.data(), n, demo.seed(), -3.0f, -1.0f); // all negative
  h_in[7] = NAN;
  float largest = -INFINITY;
  double sum = 0.0, sum_abs = 0.0;
  for (float value : h_in)
    if (!std::isnan(value)) {
      largest = std::fmax(largest, value);
      sum += static_cast<double>(value);
      sum_abs += std::fabs(static_cast<double>(value));
    }
  lab::DeviceBuffer<float> d_in(h_in), d_largest(std::vector<float>{-INFINITY});
  lab::DeviceBuffer<double> d_sum(std::vector<double>{0.0});
  largest_and_sum<<<blocks_for(n, 256), 256>>>(d_in.data(), n, d_largest.data(), d_sum.data());
  LAB_CHECK_LAUNCH();
  demo.say("%u floats in [-3, -1], one of them NaN\n", n);
  demo.say("  largest, by compare-and-swap  %.7f\n", static_cast<double>(d_largest.at(0)));
  demo.say("  sum, by compare-and-swap      %.7f\n", d_sum.at(0));
  demo.expect(lab::compare_value("largest", d_largest.at(0), largest));
  demo.expect(
      lab::compare_value("sum", d_sum.at(0), sum, lab::tolerance_for_sum<double>(2 * n, sum_abs)));
}

} // namespace demo_compare_and_swap
