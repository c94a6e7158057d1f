// A compare-and-swap loop that compares floats to see whether it is done. NaN equals nothing.
#pragma once

#include "problem.hpp"

namespace trap_compare_floats {

inline const char *why =
    "the loop ends when what it read equals what it expected. NaN never equals NaN, so once one is "
    "in the sum the loop goes round for ever. Compare the bits.";

constexpr unsigned enough = 1000; // a real one would never come back

__global__ void add(float *sum, float value, unsigned *turns) {
  unsigned *bits = reinterpret_cast<unsigned *>(sum);
  float seen = *sum, before;
  *turns = 0;
  do {
    before = seen;
    seen =
        __uint_as_float(atomicCAS(bits, __float_as_uint(before), __float_as_uint(before + value)));
    ++*turns;
  } while (seen != before && *turns < enough);
}

inline void run(Histogram &p) {
  empty_bins(p);
  add<<<1, 1>>>(reinterpret_cast<float *>(p.d_bins.data()), nanf(""), p.d_bins.data() + 1);
  LAB_CHECK_LAUNCH();
  add<<<1, 1>>>(reinterpret_cast<float *>(p.d_bins.data()), 1.0f, p.d_bins.data() + 1);
  LAB_CHECK_LAUNCH();
}

inline lab::Verdict check(Histogram &p) {
  return lab::compare_value("turns of the loop to add 1", p.d_bins.at(1), 1u);
}

} // namespace trap_compare_floats
