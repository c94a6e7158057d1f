// v6 changes two things: the grid, and how many loads a thread makes before it adds. Here is each alone.
#pragma once

#include "demos/ways.hpp"

namespace ways_of_v6 {

constexpr unsigned block = 256;

// v5's tree.
__device__ inline void tree(Value *s_data, unsigned tid) {
#pragma unroll
  for (unsigned stride = block / 2; stride > 32; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }
  if (tid < 32) {
    s_data[tid] += s_data[tid + 32];
    __syncwarp();
#pragma unroll
    for (unsigned stride = 16; stride > 0; stride /= 2) {
      if (tid < stride)
        s_data[tid] += s_data[tid + stride];
      __syncwarp();
    }
  }
}

// v5 with LOADS elements per thread: all are loaded before the first is added.
template <unsigned LOADS> __global__ void growing_grid(const Value *in, size_t n, Value *out) {
  __shared__ Value s_data[block];
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * (LOADS * block) + tid;
  Value values[LOADS], sum = 0;
#pragma unroll
  for (unsigned k = 0; k < LOADS; ++k)
    values[k] = i + k * block < n ? in[i + k * block] : 0;
#pragma unroll
  for (unsigned k = 0; k < LOADS; ++k)
    sum += values[k];
  s_data[tid] = sum;
  __syncthreads();
  tree(s_data, tid);
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

// v6 with LOADS loads per round, from a grid that the device holds at a time.
template <unsigned LOADS> __global__ void fixed_grid(const Value *in, size_t n, Value *out) {
  __shared__ Value s_data[block];
  const unsigned tid = threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * block; // in the whole grid
  size_t i = static_cast<size_t>(blockIdx.x) * block + tid;
  Value sum = 0;
  for (; i + (LOADS - 1) * threads < n; i += LOADS * threads) {
    Value values[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k)
      values[k] = in[i + k * threads];
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k)
      sum += values[k];
  }
  for (; i < n; i += threads)
    sum += in[i];
  s_data[tid] = sum;
  __syncthreads();
  tree(s_data, tid);
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

template <unsigned LOADS> void growing(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_for(n, LOADS * block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    growing_grid<LOADS><<<grid, block>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

template <unsigned LOADS> void fixed(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_to_fill(n, static_cast<int>(block)); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    fixed_grid<LOADS><<<grid, block>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

inline std::vector<Way> all() {
  return {{"growing_1", "grid grows, 1 element per thread", growing<1>, read_input_once},
          {"growing_2", "grid grows, 2 elements per thread (v5)", growing<2>, read_input_once},
          {"growing_4", "grid grows, 4 elements per thread", growing<4>, read_input_once},
          {"growing_8", "grid grows, 8 elements per thread", growing<8>, read_input_once},
          {"growing_16", "grid grows, 16 elements per thread", growing<16>, read_input_once},
          {"fixed_1", "fixed grid, 1 load per round", fixed<1>, read_input_once},
          {"fixed_2", "fixed grid, 2 loads per round", fixed<2>, read_input_once},
          {"fixed_4", "fixed grid, 4 loads per round (v6)", fixed<4>, read_input_once},
          {"fixed_8", "fixed grid, 8 loads per round", fixed<8>, read_input_once}};
}

} // namespace ways_of_v6
