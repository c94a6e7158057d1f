// Each square fits into an int, and so the sum is an int too.
#pragma once

#include "problem.hpp"

namespace trap_sum_in_32_bits {

inline const char *why =
    "30000 squared fits into 32 bits, two of them do, three do not. What holds the terms need not "
    "hold their sum: n terms need log2 n bits more.";

// Unsigned, so that this program stays defined. It computes the bits that an int sum gives.
__global__ void sum_of_squares(const int *in, size_t n, unsigned *out) {
  unsigned sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += static_cast<unsigned>(in[i]) * static_cast<unsigned>(in[i]);
  *out = sum;
}

inline long long seen;

inline void run(SumOfSquares &p) {
  p.d_in.upload(std::vector<int>(p.n, largest_value));
  lab::DeviceBuffer<unsigned> d_out(1);
  lab::poison(d_out);
  sum_of_squares<<<1, 1>>>(p.d_in.data(), p.n, d_out.data());
  LAB_CHECK_LAUNCH();
  seen = static_cast<int>(d_out.at(0)); // as the program with an int sum reads it
}

inline lab::Verdict check(SumOfSquares &p) {
  const long long expected =
      static_cast<long long>(p.n) * largest_value * static_cast<long long>(largest_value);
  return lab::compare_value("sum of squares", seen, expected);
}

} // namespace trap_sum_in_32_bits
