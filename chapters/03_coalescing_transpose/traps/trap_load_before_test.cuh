// copy_float4 that loads first, "to have the load under way early", and tests before the store.
#pragma once

#include "problem.hpp"

namespace trap_load_before_test {

inline const char *why =
    "the load reads past the end and what it read is thrown away, so the answer is right. It is "
    "somebody else's memory all the same: after the last page of an allocation there is nothing, "
    "and the program ends. The instruments and compute-sanitizer report it every time.";

__global__ void copy(const float *in, float *out, size_t n) {
  const size_t i = threadIdx.x;
  const float4 v = reinterpret_cast<const float4 *>(in)[i];
  if (4 * i + 3 < n) {
    reinterpret_cast<float4 *>(out)[i] = v;
  } else {
    for (size_t k = 4 * i; k < n; ++k)
      out[k] = in[k];
  }
}

// The guard strips would make the load legal: the input is given memory of exactly its size.
inline void run(Matrix &p) {
  lab::DeviceBuffer<float> d_in(p.h_in);
  copy<<<1, 32>>>(d_in.data(), p.d_out.data(), p.elements());
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDeviceSynchronize()); // before d_in goes
}

} // namespace trap_load_before_test
