/// @file
/// The same code twice: as usual, and with the compiler's leave to calculate as if numbers were real.
#pragma once

#include "problem.hpp"

/// Sums on the host: by plain_loop and kahan_loop of kahan_loop.hpp.
struct HostSums {
  float plain, kahan;
};
HostSums host_sums(const float *values, size_t n);
HostSums host_sums_fast_math(const float *values, size_t n); ///< -ffast-math

/// The kernel of k0, and exp(x) / y of each pair, on the device.
void multiply_kahan(const Operands &m);
void multiply_kahan_fast_math(const Operands &m); ///< nvcc --use_fast_math
void divide_exp(const float *d_x, const float *d_y, float *d_out, int n);
void divide_exp_fast_math(const float *d_x, const float *d_y, float *d_out, int n);
