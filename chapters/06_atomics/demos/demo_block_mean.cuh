// Each block's mean, with one shared sum that all its threads add to.
#pragma once

#include "problem.hpp"

namespace demo_block_mean {

__global__ void block_mean(const Byte *in, unsigned n, float *means) {
  __shared__ unsigned s_sum;
  if (threadIdx.x == 0)
    s_sum = 0;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&s_sum, in[i]); // whole numbers: in any order the same sum
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned first = blockIdx.x * blockDim.x;
    means[blockIdx.x] = static_cast<float>(s_sum) / static_cast<float>(min(blockDim.x, n - first));
  }
}

inline void run(lab::Demo &demo) {
  const unsigned n = 1000, block = 256, grid = blocks_for(n, block);
  std::vector<Byte> h_in(n);
  for (unsigned i = 0; i < n; ++i)
    h_in[i] = static_cast<Byte>(lab::random_int(demo.seed(), i, 0, 255));
  lab::DeviceBuffer<Byte> d_in(h_in);
  lab::DeviceBuffer<float> d_means(grid);
  lab::poison(d_means);
  block_mean<<<grid, block>>>(d_in.data(), n, d_means.data());
  LAB_CHECK_LAUNCH();
  const std::vector<float> means = d_means.download();
  for (unsigned b = 0; b < grid; ++b) {
    const unsigned first = b * block, end = first + block < n ? first + block : n;
    unsigned sum = 0;
    for (unsigned i = first; i < end; ++i)
      sum += h_in[i];
    const float expected = static_cast<float>(sum) / static_cast<float>(end - first);
    demo.say("block %u: %3u bytes, mean %.3f\n", b, end - first, static_cast<double>(means[b]));
    demo.expect(lab::compare_value("mean", means[b], expected)); // exact sums: equal, bit for bit
  }
}

} // namespace demo_block_mean
