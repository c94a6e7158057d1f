// 11.6 · As many as fit
//
// A shell grows line by line: a cell of the next line is what a table says of the cells around it. All lines in one
// launch, so blocks wait for each other behind every line, and all of them have to be there. 60 blocks were, on another
// card, with smaller tables; here the launch is refused.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// The number that the cells from i - reach to i + reach make, in binary. Beyond the ends are zeros.
__device__ unsigned around(const unsigned *line, int n, int i, int reach) {
  unsigned number = 0;
  for (int k = i - reach; k <= i + reach; ++k)
    number = 2 * number + (k >= 0 && k < n ? line[k] & 1 : 0);
  return number;
}

// `lines` lines of n cells, of which the first is there. The table is for 2 * reach + 1 cells; each block has a copy.
__global__ void look_up(unsigned *cells, int n, int lines, const unsigned *table, int reach) {
  extern __shared__ unsigned s_table[];
  for (int k = threadIdx.x; k < 2 << 2 * reach; k += blockDim.x)
    s_table[k] = table[k];
  __syncthreads();
  // TODO 1: there may be fewer threads than cells, or more. cg::this_grid().sync() is a barrier for all threads of the launch.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int line = 1; line < lines; ++line) {
    const unsigned *const before = cells + (line - 1) * n;
    if (i < n)
      cells[line * n + i] = s_table[around(before, n, i, reach)];
  }
  // end of TODO
}

void look_up_all(unsigned *d_cells, int n, int lines, const unsigned *d_table, int reach) {
  const size_t bytes = sizeof(unsigned) << (2 * reach + 1); // of dynamic shared memory
  // TODO 2: as many threads as fit on the current device at a time, whatever it is, beside a table of 8 bytes to 128 KB.
  // Which block is best for that, and how many of them fit?
  const int threads = 256;
  const int blocks = 60;
  // end of TODO
  void *arguments[] = {&d_cells, &n, &lines, &d_table, &reach};
  cudaLaunchCooperativeKernel(
      reinterpret_cast<void *>(look_up), dim3(blocks), dim3(threads), arguments, bytes, nullptr);
}
