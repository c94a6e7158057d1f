// v6 with a test for the first of two loads only.
#pragma once

#include "problem.hpp"

namespace trap_past_the_end {

inline const char *why =
    "i < n says nothing about i + block. Here a strip of known bytes lies after the input, so the "
    "sum has one of those in it; elsewhere it is somebody else's data, or the end of the program.";

__global__ void reduce(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  Value sum = 0;
  for (size_t i = tid; i < n; i += 2 * blockDim.x)
    sum += in[i] + in[i + blockDim.x];
  s_data[tid] = sum;
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

inline void run(Reduction &p) {
  lab::GuardedBuffer<Value> d_in(p.n, 1024); // as wide a strip as the widest block reads
  d_in.upload(p.h_in);
  reduce<<<1, p.block, p.block * sizeof(Value)>>>(d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDeviceSynchronize()); // before d_in goes
}

} // namespace trap_past_the_end
