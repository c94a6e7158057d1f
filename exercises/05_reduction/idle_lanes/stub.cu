// 05.1 · Idle lanes
//
// A picture gets smaller and smaller: 16 x 16 cells, 8 x 8, 4 x 4, 2 x 2, one. A cell of the next one is the sum of four,
// 2 x 2 of them. So cell (row 1, col 3) of the one with 8 x 8 is made of rows 2 and 3, columns 6 and 7.
// The kernel is right, and most lanes of each warp only watch.
#include <cuda_runtime.h>

// Blocks of 256 threads. Block b makes all five of its 256 cells in `in`, 256 + 64 + 16 + 4 + 1 cells in `out`, one
// picture behind the other, each row by row.
__global__ void smaller_and_smaller(const unsigned *in, unsigned *out) {
  __shared__ unsigned s_cells[341];
  const unsigned tid = threadIdx.x;
  s_cells[tid] = in[blockIdx.x * 256 + tid];
  __syncthreads();

  unsigned *large = s_cells;
  for (unsigned side = 8; side > 0; side /= 2) { // of the small picture's rows
    unsigned *small = large + 4 * side * side;
    // TODO: the same sums, in as few turns of a warp as it can be done. Which thread should make which cell?
    const unsigned step =
        16 / side; // of 16 x 16 threads every second in each direction, then every fourth
    if (tid / 16 % step == 0 && tid % 16 % step == 0) {
      const unsigned row = tid / 16 / step, col = tid % 16 / step;
      const unsigned *four = large + 2 * row * 2 * side + 2 * col; // the first of the four
      small[side * row + col] = four[0] + four[1] + four[2 * side] + four[2 * side + 1];
    }
    // end of TODO
    __syncthreads();
    large = small;
  }

  for (unsigned cell = tid; cell < 341; cell += 256)
    out[blockIdx.x * 341 + cell] = s_cells[cell];
}
