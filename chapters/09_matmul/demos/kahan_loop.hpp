/// @file
/// Two sums on the host, compiled twice: by host_sums.cpp, and with -ffast-math by
/// host_sums_fast_math.cpp.
#pragma once

#include <cstddef>

/// From the first to the last, as floats.
static float plain_loop(const float *values, std::size_t n) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < n; ++i)
    sum += values[i];
  return sum;
}

/// The same by Kahan's method.
static float kahan_loop(const float *values, std::size_t n) {
  float sum = 0.0f, owed = 0.0f;
  for (std::size_t i = 0; i < n; ++i) {
    const float term = values[i] + owed;
    const float next = sum + term;
    owed = term - (next - sum);
    sum = next;
  }
  return sum;
}
