// The tile and its transpose, both in dynamic shared memory, each declared as an array of its own.
#pragma once

#include "problem.hpp"

namespace trap_two_dynamic_arrays {

inline const char *why =
    "all extern __shared__ arrays of a kernel begin at the same address, so the two are one. "
    "Declare one, of the size of both, and let a pointer into it be the second.";

__global__ void transpose(const float *in, unsigned n, float *out) {
  extern __shared__ float s_rows[];
  extern __shared__ float s_cols[];
  const unsigned col = threadIdx.x;
  const unsigned row = threadIdx.y;
  s_rows[row * n + col] = in[row * n + col];
  __syncthreads();
  s_cols[col * n + row] = s_rows[row * n + col];
  __syncthreads();
  out[row * n + col] = s_cols[row * n + col];
}

inline void run(Transpose &p) {
  const unsigned n = static_cast<unsigned>(p.rows);
  transpose<<<1, dim3(n, n), 2 * n * n * sizeof(float)>>>(p.d_in.data(), n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_two_dynamic_arrays
