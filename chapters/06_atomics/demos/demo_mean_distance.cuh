// The mean distance of pairs of points, one mean per block: a float sum that all threads add to.
#pragma once

#include "problem.hpp"

#include <cmath>

namespace demo_mean_distance {

constexpr unsigned block = 256;

__device__ inline float distance(float2 a, float2 b) {
  const float dx = a.x - b.x, dy = a.y - b.y;
  return sqrtf(dx * dx + dy * dy);
}

__global__ void mean_by_atomics(const float2 *a, const float2 *b, unsigned n, float *means) {
  __shared__ float s_sum;
  if (threadIdx.x == 0)
    s_sum = 0.0f;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&s_sum, distance(a[i], b[i]));
  __syncthreads();
  if (threadIdx.x == 0)
    means[blockIdx.x] = s_sum / static_cast<float>(min(blockDim.x, n - blockIdx.x * blockDim.x));
}

// The lanes of a warp add up by shuffles, and one of them adds to the block's sum.
__global__ void mean_by_warps(const float2 *a, const float2 *b, unsigned n, float *means) {
  __shared__ float s_sum;
  if (threadIdx.x == 0)
    s_sum = 0.0f;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? distance(a[i], b[i]) : 0.0f;
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&s_sum, sum);
  __syncthreads();
  if (threadIdx.x == 0)
    means[blockIdx.x] = s_sum / static_cast<float>(min(blockDim.x, n - blockIdx.x * blockDim.x));
}

inline void run(lab::Demo &demo) {
  const unsigned n = static_cast<unsigned>(demo.n_or(demo.timed() ? 1u << 26 : 1000));
  if (n == 0)
    return demo.say("of no points there is no mean\n");
  const unsigned grid = blocks_for(n, block);
  std::vector<float2> h_a(n), h_b(n);
  lab::fill_random(reinterpret_cast<float *>(h_a.data()), 2 * size_t{n}, demo.seed());
  lab::fill_random(reinterpret_cast<float *>(h_b.data()), 2 * size_t{n}, demo.seed() + 1);
  lab::DeviceBuffer<float2> d_a(h_a), d_b(h_b);
  lab::DeviceBuffer<float> d_means(grid);
  std::vector<float> expected(grid);
  for (unsigned b = 0; b < grid; ++b) {
    const unsigned first = b * block, end = first + block < n ? first + block : n;
    double sum = 0.0;
    for (unsigned i = first; i < end; ++i)
      sum += std::hypot(static_cast<double>(h_a[i].x) - static_cast<double>(h_b[i].x),
                        static_cast<double>(h_a[i].y) - static_cast<double>(h_b[i].y));
    expected[b] = static_cast<float>(sum / (end - first));
  }
  const auto try_way = [&](const char *key, const char *how, auto kernel) {
    const auto work = [&] { kernel<<<grid, block>>>(d_a.data(), d_b.data(), n, d_means.data()); };
    lab::poison(d_means);
    work();
    LAB_CHECK_LAUNCH();
    // 256 terms below sqrt 2, whose sum is divided by 256; the distances are off by 3 units each.
    const std::vector<float> means = d_means.download();
    demo.expect(lab::compare(means, expected, lab::tolerance_for_sum<float>(block + 4, 1.5)));
    if (!demo.timed()) {
      demo.say("%-40s block 0: %.4f, block %u: %.4f\n",
               how,
               static_cast<double>(means[0]),
               grid - 1,
               static_cast<double>(means[grid - 1]));
      return;
    }
    const double ms = lab::measure(work).median_ms;
    demo.say("%-40s %.4f ms\n", how, ms);
    demo.value(key, ms);
  };
  try_way("atomics", "a float atomic per thread", mean_by_atomics);
  try_way("warps", "shuffles, a float atomic per warp", mean_by_warps);
}

} // namespace demo_mean_distance
