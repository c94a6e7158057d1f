// 11.6 · As many as fit
//
// Every block copies a table into its shared memory and looks numbers up in it. Somebody has found out that 60
// blocks of 256 were best, on another card and for fewer numbers. Now some results are missing.
#include <cuda_runtime.h>

constexpr int entries = 2304; // 9 KB

// Every in[i] is in [0, entries).
__global__ void look_up(const int *in, int n, const float *table, float *out) {
  __shared__ float s_table[entries];
  for (int k = threadIdx.x; k < entries; k += blockDim.x)
    s_table[k] = table[k];
  __syncthreads();
  // TODO 1: any number of blocks has to be right.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = s_table[in[i]];
  // end of TODO
}

void look_up_all(const int *d_in, int n, const float *d_table, float *d_out) {
  // TODO 2: this device is to be full, of as many threads as it can hold at a time, in as few blocks as can be: each
  // of them copies the table. So which blocks, and how many? 256 are the other card's, too.
  const int threads = 256;
  const int blocks = 60;
  // end of TODO
  look_up<<<blocks, threads>>>(d_in, n, d_table, d_out);
}
