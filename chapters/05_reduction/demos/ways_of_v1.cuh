// v1 changes two things: where the sums live, and which threads add. Here is each alone, and what the
// remainder of v0 costs.
#pragma once

#include "demos/ways.hpp"

namespace ways_of_v1 {

// v0 with a mask in place of the remainder: 2 * stride is a power of two.
__global__ void mask_in_global(Value *data, size_t n, Value *out) {
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if ((tid & (2 * stride - 1)) == 0 && i + stride < n)
      data[i] += data[i + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = i < n ? data[i] : 0;
}

// v0 with v1's threads: neighbours in id add, still in global memory.
__global__ void contiguous_in_global(Value *data, size_t n, Value *out) {
  const unsigned tid = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x; // of this block
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < blockDim.x && first + index + stride < n)
      data[first + index] += data[first + index + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = first < n ? data[first] : 0;
}

// v2's order of additions, in global memory.
__global__ void halving_in_global(Value *data, size_t n, Value *out) {
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride && i + stride < n)
      data[i] += data[i + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = i < n ? data[i] : 0;
}

// v1 with v0's threads: in shared memory, the threads at work spread over all warps. By v0's remainder, or by a mask.
template <bool MASK> __global__ void every_other_in_shared(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if ((MASK ? tid & (2 * stride - 1) : tid % (2 * stride)) == 0)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

template <void (*KERNEL)(Value *, size_t, Value *)> void in_global(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_for(n, p.block); };
  const auto launch = [&](unsigned grid, Value *in, size_t n, Value *out) {
    KERNEL<<<grid, p.block>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_scratch.data(), blocks, launch);
}

template <void (*KERNEL)(const Value *, size_t, Value *)> void in_shared(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_for(n, p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    KERNEL<<<grid, p.block, p.block * sizeof(Value)>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

inline std::vector<Way> all() {
  const std::vector<Way> steps = ways_of_trees();
  return {
      {"v0", "v0: global memory, every other thread, %", steps[0].run, copy_input_on_device},
      {"mask_global",
       "global memory, every other thread, a mask for %",
       in_global<mask_in_global>,
       copy_input_on_device},
      {"ids_global",
       "global memory, neighbours in id",
       in_global<contiguous_in_global>,
       copy_input_on_device},
      {"halving_global",
       "global memory, halved distances",
       in_global<halving_in_global>,
       copy_input_on_device},
      {"modulo_shared",
       "shared memory, every other thread, %",
       in_shared<every_other_in_shared<false>>,
       read_input_once},
      {"mask_shared",
       "shared memory, every other thread, a mask for %",
       in_shared<every_other_in_shared<true>>,
       read_input_once},
      {"v1", "v1: shared memory, neighbours in id", steps[1].run, read_input_once},
      {"v2", "v2: shared memory, halved distances", steps[2].run, read_input_once},
  };
}

} // namespace ways_of_v1
