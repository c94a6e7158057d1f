// 06.5 · Islands
//
// A map has land and sea. Which cells of land hang together, from side to side and up and down? At first each cell is an
// island of its own, and its own `parent`. Where two islands meet, the root of one, which is its own parent, gets the
// root of the other for its parent. In the end perhaps:
//   cells of land   0  1  .  3     parent at first   0  1  .  3     at last   0  0  .  3
//                   .  5  .  7                       .  5  .  7               .  0  .  3
// Two cells are on one island if their parents, and the parents of these, lead to the same root.
#include <cuda_runtime.h>

// The root of i's island. A cell that is no root any more never becomes one again.
__device__ int root_of(int *parent, int i) {
  for (int up; (up = atomicAdd(&parent[i], 0)) != i;)
    i = up;
  return i;
}

// Makes the islands of a and b one.
__device__ void unite(int *parent, int a, int b) {
  // TODO: right, if only one thread ever came here. Of all that come at once, nobody may undo what another one has done.
  parent[root_of(parent, a)] = root_of(parent, b);
  // end of TODO
}

// A thread for each cell. land[i] is 1 or 0, and parent[i] is i at first.
__global__ void islands(const int *land, int rows, int cols, int *parent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols || land[i] == 0)
    return;
  if (i % cols > 0 && land[i - 1] == 1)
    unite(parent, i, i - 1);
  if (i >= cols && land[i - cols] == 1)
    unite(parent, i, i - cols);
}
