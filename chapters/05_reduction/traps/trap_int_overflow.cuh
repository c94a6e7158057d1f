// Every addition is made, and the result is still wrong: the sum does not fit its type.
#pragma once

#include "problem.hpp"

#include <climits>

namespace trap_int_overflow {

inline const char *why =
    "the sum of n ints needs up to 31 + log2 n bits and a sign. Sum into 64 bits; or say, as this "
    "chapter does, that the sum is modulo 2^32, and use unsigned, whose overflow is defined.";

__global__ void reduce(const Value *in, size_t n, Value *out) {
  Value sum = threadIdx.x < n ? in[threadIdx.x] : 0;
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0)
    *out = sum;
}

inline const int h_values[2] = {INT_MAX, 1};

inline void run(Reduction &p) {
  p.d_in.upload({static_cast<Value>(h_values[0]), static_cast<Value>(h_values[1])});
  reduce<<<1, 32>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

// Read as an int, as the program that the values came from would read it.
inline lab::Verdict check(Reduction &p) {
  long long expected = 0;
  for (int value : h_values)
    expected += value;
  return lab::compare_value<long long>("sum", static_cast<int>(p.d_out.at(0)), expected);
}

} // namespace trap_int_overflow
