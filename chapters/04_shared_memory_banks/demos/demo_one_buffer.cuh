#pragma once

#include "ladder/chapter.hpp"

#include <algorithm>
#include <vector>

namespace demo_one_buffer {

constexpr unsigned block = 256;

// In each round every number becomes the largest of itself and its two neighbours.
__global__ void widen(const unsigned *in, unsigned rounds, unsigned *out) {
  __shared__ unsigned s_data[block];
  const unsigned tid = threadIdx.x;
  s_data[tid] = in[tid];
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned left = s_data[tid > 0 ? tid - 1 : 0];
    const unsigned right = s_data[tid + 1 < block ? tid + 1 : tid];
    const unsigned largest = max(s_data[tid], max(left, right));
    __syncthreads();
    s_data[tid] = largest;
    __syncthreads();
  }
  out[tid] = s_data[tid];
}

inline void run(lab::Demo &demo) {
  constexpr unsigned rounds = 8;
  std::vector<unsigned> h_in(block), expected(block);
  for (unsigned i = 0; i < block; ++i)
    h_in[i] = static_cast<unsigned>(lab::random_u64(demo.seed(), i) % 1000);
  for (unsigned i = 0; i < block; ++i) {
    const unsigned first = i < rounds ? 0 : i - rounds, end = std::min(i + rounds + 1, block);
    expected[i] = *std::max_element(h_in.begin() + first, h_in.begin() + end);
  }
  const lab::DeviceBuffer<unsigned> d_in(h_in);
  lab::DeviceBuffer<unsigned> d_out(block);
  lab::poison(d_out);
  widen<<<1, block>>>(d_in.data(), rounds, d_out.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(d_out.download(), expected));
  demo.say("%u numbers, %u rounds: each is the largest of those up to %u places away.\n",
           block,
           rounds,
           rounds);
}

} // namespace demo_one_buffer
