// 10.7 · Eight lanes for a row
//
// Each place of a map has a row of scores, one for each well: the nearer, the larger. The column of the largest is its
// well, and where the second largest is nearly as large a border runs. Right, but one thread of eight works, and neighbours
// read far apart: of 32 bytes that memory hands over, 4 are used.
#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// The largest of some scores, its column, and the largest of the others.
struct Best {
  int score, col, second;
};

// TODO 1: what two know of their columns, in one, whoever asks whom. Of equal scores the one further left counts. (The stub
// goes from left to right, one column at a time.)
__device__ Best better(const Best &a, const Best &b) {
  return b.score > a.score ? Best{b.score, b.col, a.score} : Best{a.score, a.col, b.score};
}
// end of TODO

// Blocks of 128 threads, 8 for each row; the last block may have threads left over. cols > 0. Where there is one column
// second is INT_MIN.
//
// A row of 4, 9, 2, 9: score is 9, answer 1, and second 9.
__global__ void
best_columns(const int *in, int rows, int cols, int *score, int *answer, int *second) {
  // TODO 2: let tiles of 8 lanes take a row each, side by side along the row. tiled_partition makes the tiles;
  // cg::reduce(tile, mine, better) makes one of the lanes' values, two at a time, by a function of your own.
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 8;
  if (thread % 8 != 0 || row >= rows)
    return;
  Best best = {in[row * cols], 0, INT_MIN};
  for (int col = 1; col < cols; ++col) {
    const int next = in[row * cols + col], least = best.second;
    best = better(best, {next, col, INT_MIN});
    best.second = max(best.second, least);
  }
  score[row] = best.score;
  answer[row] = best.col;
  second[row] = best.second;
  // end of TODO
}
