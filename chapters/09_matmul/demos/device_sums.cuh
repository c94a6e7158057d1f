/// @file
/// Two kernels, compiled twice: by device_sums.cu, and with --use_fast_math by
/// device_sums_fast_math.cu.
#pragma once

#include "demos/both_ways.hpp"
#include "steps/sums.cuh"

#include <cmath>

static __global__ void kahan_kernel(Operands m) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m.M || col >= m.N)
    return;
  KahanSum sum;
  for (int k = 0; k < m.K; ++k)
    sum.add(m.A[row * m.lda + k], m.B[k * m.ldb + col]);
  m.C[row * m.ldc + col] = sum.result();
}

static __global__ void divide_exp_kernel(const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = expf(x[i]) / y[i];
}

static void launch_kahan(const Operands &m) {
  kahan_kernel<<<grid_of_tiles(m.N, 256, m.M, 1), 256>>>(m);
  LAB_CHECK_LAUNCH();
}

static void launch_divide_exp(const float *d_x, const float *d_y, float *d_out, int n) {
  divide_exp_kernel<<<grid_of_tiles(n, 256, 1, 1), 256>>>(d_x, d_y, d_out, n);
  LAB_CHECK_LAUNCH();
}
