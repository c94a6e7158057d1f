#pragma once

#include "ladder/chapter.hpp"
#include "steps/euclidean.cuh"

#include <vector>

namespace demo_memories {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    distance[i] = euclidean(a[i], b[i]);
}

/// From the host's memory to the device's, and back: every call that it takes.
inline std::vector<float> distances_on_device(const std::vector<float2> &h_a,
                                              const std::vector<float2> &h_b) {
  const unsigned n = static_cast<unsigned>(h_a.size());
  float2 *d_a = nullptr, *d_b = nullptr;
  float *d_distance = nullptr;
  LAB_CHECK(cudaMalloc(&d_a, n * sizeof(float2)));
  LAB_CHECK(cudaMalloc(&d_b, n * sizeof(float2)));
  LAB_CHECK(cudaMalloc(&d_distance, n * sizeof(float)));

  LAB_CHECK(cudaMemcpy(d_a, h_a.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
  LAB_CHECK(cudaMemcpy(d_b, h_b.data(), n * sizeof(float2), cudaMemcpyHostToDevice));

  const unsigned block = 256;
  distances<<<(n + block - 1) / block, block>>>(d_a, d_b, d_distance, n);
  LAB_CHECK_LAUNCH();

  std::vector<float> h_distance(n); // the copy back waits until the kernel is done
  LAB_CHECK(cudaMemcpy(h_distance.data(), d_distance, n * sizeof(float), cudaMemcpyDeviceToHost));

  LAB_CHECK(cudaFree(d_a));
  LAB_CHECK(cudaFree(d_b));
  LAB_CHECK(cudaFree(d_distance));
  return h_distance;
}

inline void run(lab::Demo &demo) {
  std::vector<float2> a, b;
  std::vector<float> expected;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(make_float2(3.0f * i, 0.0f));
    b.push_back(make_float2(0.0f, 4.0f * i));
    expected.push_back(5.0f * i); // 3² + 4² = 5²
  }
  const std::vector<float> distance = distances_on_device(a, b);
  for (int i : {0, 1, 2, 999})
    demo.say("from (%g, %g) to (%g, %g): %g\n", a[i].x, a[i].y, b[i].x, b[i].y, distance[i]);
  demo.expect(lab::compare(distance, expected, lab::tolerance_for_operations<float>(4)));
}

} // namespace demo_memories
