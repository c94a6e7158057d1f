// 10.7 · Eight lanes for a row
//
// Each place of a map has a row of scores, one for each well: the nearer, the larger. The column of the largest score is its
// well. Where the second largest is nearly as large, a border runs. This is right, but of eight threads one works, and of
// 32 bytes that memory hands over 4 are used.
#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// What a lane knows of the columns that it has seen: the largest score, its column, and the largest of all other scores.
struct Best {
  int score, col, second;
};

// What two lanes know, a of some columns and b of others, in one. better(a, b) has to be the same as better(b, a), also
// where both scores are equal: then the column further left counts. In the row of 4, 9, 2, 9 one lane has seen columns 0
// and 1, and another one 2 and 3: {9, 1, 4} and {9, 3, 2} make {9, 1, 9}.
// TODO 1: the score is right here, and nothing else.
__device__ Best better(const Best &a, const Best &b) { return a.score >= b.score ? a : b; }
// end of TODO

// Blocks of 128 threads, 8 for each row; the last block may have threads left over. cols > 0. Where there is one column
// second is INT_MIN.
//
// A row of 4, 9, 2, 9: score is 9, answer 1, and second 9.
__global__ void
best_columns(const int *in, int rows, int cols, int *score, int *answer, int *second) {
  // TODO 2: let tiles of 8 lanes take a row each, side by side along the row: cg::tiled_partition makes them. Then
  // cg::reduce(tile, mine, better) joins what the 8 lanes know, two at a time, by your better().
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 8;
  if (thread % 8 != 0 || row >= rows)
    return;
  Best best = {in[row * cols], 0, INT_MIN};
  for (int col = 1; col < cols; ++col) {
    const int next = in[row * cols + col];
    if (next > best.score)
      best = {next, col, best.score};
    else
      best.second = max(best.second, next);
  }
  score[row] = best.score;
  answer[row] = best.col;
  second[row] = best.second;
  // end of TODO
}
