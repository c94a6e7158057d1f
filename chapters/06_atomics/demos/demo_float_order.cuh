// Atomics add in the order in which threads arrive, and a float sum depends on its order.
#pragma once

#include "problem.hpp"

#include <cmath>
#include <set>

namespace demo_float_order {

__global__ void sum_as_they_come(const float *in, unsigned n, const unsigned *order, float *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, in[order[i]]);
}

// Whole numbers of 2^-40 add up exactly, in any order, as long as the sum fits 63 bits.
__global__ void
sum_fixed_point(const float *in, unsigned n, const unsigned *order, unsigned long long *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const double scaled = static_cast<double>(in[order[i]]) * 0x1p40;
    atomicAdd(sum, static_cast<unsigned long long>(static_cast<long long>(rint(scaled))));
  }
}

inline void run(lab::Demo &demo) {
  const unsigned n = 20000, tries = 10;
  std::vector<float> h_in(n);
  lab::fill_random(h_in.data(), n, demo.seed());
  double expected = 0.0;
  for (float value : h_in)
    expected += static_cast<double>(value);
  lab::DeviceBuffer<float> d_in(h_in), d_sum(1);
  lab::DeviceBuffer<unsigned> d_order(n);
  lab::DeviceBuffer<unsigned long long> d_fixed(1);

  std::set<float> sums;
  std::set<unsigned long long> fixed_sums;
  for (unsigned turn = 0; turn < tries; ++turn) {
    std::vector<unsigned> order(n); // another order in each turn, as a busy GPU might take
    for (unsigned i = 0; i < n; ++i)
      order[i] = (i + turn * 1999) % n;
    d_order.upload(order);
    LAB_CHECK(cudaMemset(d_sum.data(), 0, sizeof(float)));
    LAB_CHECK(cudaMemset(d_fixed.data(), 0, sizeof(unsigned long long)));
    sum_as_they_come<<<blocks_for(n, 256), 256>>>(d_in.data(), n, d_order.data(), d_sum.data());
    LAB_CHECK_LAUNCH();
    sum_fixed_point<<<blocks_for(n, 256), 256>>>(d_in.data(), n, d_order.data(), d_fixed.data());
    LAB_CHECK_LAUNCH();
    sums.insert(d_sum.at(0));
    fixed_sums.insert(d_fixed.at(0));
    demo.expect(lab::compare_value("sum of floats",
                                   d_sum.at(0),
                                   static_cast<float>(expected),
                                   lab::tolerance_for_sum<float>(n, expected)));
  }
  const double fixed = static_cast<double>(*fixed_sums.begin()) * 0x1p-40;
  demo.say("%u random floats, added up %u times, in another order each time\n\n", n, tries);
  demo.say("  float atomics      %zu different sums, from %.4f to %.4f\n",
           sums.size(),
           static_cast<double>(*sums.begin()),
           static_cast<double>(*sums.rbegin()));
  demo.say("  whole-number ones  %zu: %.4f\n", fixed_sums.size(), fixed);
  demo.expect(sums.size() > 1, "the sum of floats depends on the order");
  demo.expect(fixed_sums.size() == 1, "whole numbers add up to the same in any order");
  // Each term was rounded to a multiple of 2^-40, the double sum to 53 bits.
  demo.expect(lab::compare_value("sum in fixed point", fixed, expected, {n * 0x1p-41 + 1e-9, 0.0}));
}

} // namespace demo_float_order
