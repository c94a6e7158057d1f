// Many sums at once: a block for each row of a matrix, and CUB's tree.
#pragma once

#include "problem.hpp"

#include <cub/block/block_reduce.cuh>

namespace rows {

constexpr int block = 256;

// A block for each row.
__global__ void sum_rows(const Value *in, int cols, Value *out) {
  using Reduce = cub::BlockReduce<Value, block>;
  __shared__ Reduce::TempStorage s_tree;
  Value sum = 0;
  for (int col = static_cast<int>(threadIdx.x); col < cols; col += block)
    sum += in[static_cast<size_t>(blockIdx.x) * static_cast<size_t>(cols) + col];
  sum = Reduce(s_tree).Sum(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

} // namespace rows
