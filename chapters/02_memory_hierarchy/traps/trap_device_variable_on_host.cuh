// The host reads a __device__ variable by its name.
#pragma once

#include "problem.hpp"

namespace trap_device_variable_on_host {

inline const char *why = "the name of a __device__ variable means the device's copy in a kernel, "
                         "and a shadow of the same "
                         "size on the host, which nobody ever fills. Fetch it: "
                         "cudaMemcpyFromSymbol.";

__device__ Sum total;

__global__ void sum_of_squares(const int *in, size_t n) {
  Sum sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += square(in[i]);
  total = sum;
}

inline Sum seen;

inline void run(SumOfSquares &p) {
  sum_of_squares<<<1, 1>>>(p.d_in.data(), p.n);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDeviceSynchronize());
#pragma nv_diag_suppress 20091 // nvcc sees it and warns. Believe it
  seen = total;
#pragma nv_diag_default 20091
}

inline lab::Verdict check(SumOfSquares &p) {
  return lab::compare_value("sum of squares", seen, p.expected);
}

} // namespace trap_device_variable_on_host
