// 06.4 · The last one turns out the lights
//
// A house at night: row r has n readings of how light it is in room r. One launch gives each room its mean, and the house the
// number of lit rooms: means of 70, 200 and 128 make 2. A row has several blocks, which leave their sums, and the one of them
// that is done last adds these up and divides. Of those the last one in the house counts.
#include <cuda_runtime.h>

// Rounded down; 0 of no numbers. Sums may be longer than 32 bits.
__device__ unsigned mean_of(unsigned long long sum, int n) { return n > 0 ? sum / n : 0; }

constexpr unsigned lit = 128; // a room is, if its mean is no less

// Blocks of 64 threads: gridDim.x for each row of n numbers, and blockIdx.y is the row. partials has a place for each block.
// results and tickets have an element for each row, and one more for the house, behind the rows' own. Tickets are 0 before each
// launch: so each launch has to leave them at 0.
__global__ void means(
    const unsigned *in, int n, unsigned long long *partials, unsigned *tickets, unsigned *results) {
  __shared__ unsigned long long s_data[64];
  const int tid = threadIdx.x, row = blockIdx.y, rows = gridDim.y;
  unsigned long long sum = 0;
  for (int i = blockIdx.x * 64 + tid; i < n; i += gridDim.x * 64)
    sum += in[row * n + i];
  s_data[tid] = sum;
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  // TODO: whoever draws the row's last ticket takes it that all sums are there. Are they, for another block's thread? What do
  // tickets say when the kernel is launched again? And then the house: as soon as all means are there, one block
  // counts the lit rooms into results[rows]. How does it know, by tickets[rows], that it is the last, and that the means are there?
  unsigned long long *sums = partials + row * gridDim.x; // of this row's blocks
  if (tid == 0) {
    sums[blockIdx.x] = s_data[0];
    if (atomicAdd(&tickets[row], 1u) == gridDim.x - 1) { // the last one of this row
      unsigned long long all = 0;
      for (int b = 0; b < static_cast<int>(gridDim.x); ++b)
        all += sums[b];
      results[row] = mean_of(all, n);
    }
  }
  // end of TODO
}
