// 01.4 · A loop over the grid
//
// out[i] = factor * in[i], for all i in [0, n). Whatever the launch: one block or a thousand.
#include <cuda_runtime.h>

__global__ void scale(const float *in, float factor, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: this computes one element for each thread. There may be far fewer threads than elements:
  // let each thread go on, as far ahead as the grid has threads, until there is nothing left.
  if (i < n)
    out[i] = factor * in[i];
  // end of TODO
}
