#pragma once

#include <cuda_runtime.h>

/// This thread's number within its block, whatever the block's shape: x runs fastest.
__device__ inline unsigned thread_in_block() {
  return threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
}

/// This block's number within the grid, by the same rule.
__device__ inline unsigned block_in_grid() {
  return blockIdx.x + blockIdx.y * gridDim.x + blockIdx.z * gridDim.x * gridDim.y;
}

__device__ inline unsigned threads_per_block() { return blockDim.x * blockDim.y * blockDim.z; }

__device__ inline unsigned blocks_per_grid() { return gridDim.x * gridDim.y * gridDim.z; }

__device__ inline unsigned threads_in_launch() { return blocks_per_grid() * threads_per_block(); }

/// This thread's number in the whole launch: [0, threads_in_launch())
__device__ inline unsigned linear_id() {
  return block_in_grid() * threads_per_block() + thread_in_block();
}
