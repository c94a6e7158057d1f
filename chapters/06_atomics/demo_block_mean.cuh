// Each block's mean, with one shared float that all its threads add to.
#pragma once

#include "problem.hpp"

#include <cmath>

namespace demo_block_mean {

__global__ void block_mean(const float *in, unsigned n, float *means) {
  __shared__ float s_sum;
  if (threadIdx.x == 0)
    s_sum = 0.0f;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&s_sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned first = blockIdx.x * blockDim.x;
    means[blockIdx.x] = s_sum / static_cast<float>(min(blockDim.x, n - first));
  }
}

inline void run(lab::Demo &demo) {
  const unsigned n = 1000, block = 256, grid = blocks_for(n, block);
  std::vector<float> h_in(n);
  lab::fill_random(h_in.data(), n, demo.seed());
  lab::DeviceBuffer<float> d_in(n), d_means(grid);
  d_in.upload(h_in);
  lab::poison(d_means);
  block_mean<<<grid, block>>>(d_in.data(), n, d_means.data());
  LAB_CHECK_LAUNCH();
  const std::vector<float> means = d_means.download();
  for (unsigned b = 0; b < grid; ++b) {
    const unsigned first = b * block, end = first + block < n ? first + block : n;
    double sum = 0.0;
    for (unsigned i = first; i < end; ++i)
      sum += static_cast<double>(h_in[i]);
    const double expected = sum / (end - first);
    demo.say("block %u: %3u values, mean %.6f\n", b, end - first, static_cast<double>(means[b]));
    demo.expect(lab::compare_value("mean",
                                   means[b],
                                   static_cast<float>(expected),
                                   lab::tolerance_for_operations<float>(block + 2)));
  }
}

} // namespace demo_block_mean
