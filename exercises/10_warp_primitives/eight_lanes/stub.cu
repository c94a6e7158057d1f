// 10.7 · Eight lanes for a row
//
// Each place of a map has a row of scores, one for each well: the nearer, the larger. The column of the largest is its
// well. Right, but one thread of eight works, and neighbours read far apart: of 32 bytes that memory hands over, 4 are used.
#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Best {
  int score, col;
};

// TODO 1: which of two is better? Of equal scores it is the one further left. (The stub goes from left to right, and
// never asks.)
__device__ Best better(const Best &a, const Best &b) { return b.score > a.score ? b : a; }
// end of TODO

// Blocks of 128 threads, 8 for each row; the last block may have threads left over. cols > 0.
__global__ void best_columns(const int *in, int rows, int cols, int *score, int *answer) {
  // TODO 2: let tiles of 8 lanes take a row each, side by side along the row. tiled_partition makes the tiles;
  // cg::reduce(tile, mine, better) makes one of the lanes' values, two at a time, by a function of your own.
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 8;
  if (thread % 8 != 0 || row >= rows)
    return;
  Best best = {in[row * cols], 0};
  for (int col = 1; col < cols; ++col)
    best = better(best, {in[row * cols + col], col});
  score[row] = best.score;
  answer[row] = best.col;
  // end of TODO
}
