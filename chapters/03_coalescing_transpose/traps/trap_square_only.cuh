// v0 with one edge for both sides: in a square nobody notices.
#pragma once

#include "problem.hpp"

namespace trap_square_only {

inline const char *why =
    "a row of the output has as many elements as the input has rows. Where rows and columns are "
    "equal in number, and tests like to be square, the wrong one is as good as the right one.";

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  const size_t row = threadIdx.y, col = threadIdx.x;
  if (row < rows && col < cols)
    out[col * cols + row] = in[row * cols + col];
}

inline void run(Matrix &p) {
  transpose<<<1, dim3(32, 32)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_square_only
