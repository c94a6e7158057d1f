// 05.1 · Idle lanes
//
// A picture gets smaller and smaller: 16 x 16 cells, 8 x 8, 4 x 4, 2 x 2, one. A cell of the next one is the sum of four,
// 2 x 2 of them. So cell (row 1, col 3) of the one with 8 x 8 is made of rows 2 and 3, columns 6 and 7.
// A block does that with four pictures at once. It is right, and most lanes of each warp only watch.
#include <cuda_runtime.h>

// Blocks of 256 threads. Of each of its four pictures a block makes all five sizes, 256 + 64 + 16 + 4 + 1 cells, one
// behind the other, each row by row.
__global__ void smaller_and_smaller(const unsigned *in, unsigned *out) {
  __shared__ unsigned s_cells[4][341];
  const unsigned tid = threadIdx.x;
  for (unsigned picture = 0; picture < 4; ++picture)
    s_cells[picture][tid] = in[(4 * blockIdx.x + picture) * 256 + tid];
  __syncthreads();

  unsigned large = 0; // where the larger size begins
  for (unsigned side = 8; side > 0; side /= 2) { // of the smaller size's rows
    const unsigned small = large + 4 * side * side;
    // TODO: the same sums, in as few turns of a warp as can be. Which thread should make which cell, of which picture?
    const unsigned picture = tid / 64,
                   step = 8 / side; // 8 x 8 threads for each picture: all work, every fourth …
    if (tid / 8 % 8 % step == 0 && tid % 8 % step == 0) {
      const unsigned row = tid / 8 % 8 / step, col = tid % 8 / step;
      const unsigned *four = &s_cells[picture][large + 2 * row * 2 * side + 2 * col];
      s_cells[picture][small + side * row + col] =
          four[0] + four[1] + four[2 * side] + four[2 * side + 1];
    }
    // end of TODO
    __syncthreads();
    large = small;
  }

  for (unsigned picture = 0; picture < 4; ++picture)
    for (unsigned cell = tid; cell < 341; cell += 256)
      out[(4 * blockIdx.x + picture) * 341 + cell] = s_cells[picture][cell];
}
