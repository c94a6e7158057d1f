// A copy of a matrix, row by row, with float4: each row has its own 0 to 3 elements left over.
#pragma once

#include "problem.hpp"

namespace trap_unaligned_float4 {

inline const char *why =
    "an address read as float4 must be a multiple of 16 bytes. The matrix starts at one; a row of "
    "five elements is 20 bytes, so the next row does not. Use float4 where rows are a multiple of "
    "four, or give rows a pitch that is (cudaMallocPitch).";

__global__ void copy(const float *in, float *out, size_t rows, size_t cols) {
  const size_t row = threadIdx.y, col = 4 * threadIdx.x;
  if (row >= rows)
    return;
  const size_t i = row * cols + col;
  if (col + 3 < cols) {
    *reinterpret_cast<float4 *>(&out[i]) = *reinterpret_cast<const float4 *>(&in[i]);
  } else {
    for (size_t k = col; k < cols; ++k)
      out[row * cols + k] = in[row * cols + k];
  }
}

inline void run(Matrix &p) {
  copy<<<1, dim3(32, 2)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_unaligned_float4
