// A right kernel with a wrong idea of its result: the sum of ints that an int cannot hold.
#pragma once

#include "problem.hpp"
#include "v7_warp_shuffle.cuh"

#include <climits>

namespace trap_int_overflow {

inline const char *why =
    "n ints need up to 31 + log2 n bits. Sum into 64 bits, or say, as this chapter does, that the "
    "sum is modulo 2^32 and use unsigned, whose overflow is defined.";

inline const int h_values[2] = {INT_MAX, 1};

inline void run(Reduction &p) {
  p.d_in.upload({static_cast<Value>(h_values[0]), static_cast<Value>(h_values[1])});
  v7::run(p);
}

inline lab::Verdict check(Reduction &p) {
  long long expected = 0;
  for (int value : h_values)
    expected += value;
  return lab::compare_value<long long>("sum", static_cast<int>(p.d_out.at(0)), expected);
}

} // namespace trap_int_overflow
