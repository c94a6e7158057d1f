// 02.5 · A table that all lanes read
//
// A polynomial of degree 7 at n places, each of which has a code: a table says which x it stands for. Constant memory
// hands one word to a whole warp at a time. For which of the two tables is that a gain?
#include <cuda_runtime.h>

// TODO 1: put one of them into constant memory.
__device__ float coefficients[8];
__device__ float levels[256];
// end of TODO

// out[i] = c[0] + c[1] x + … + c[7] x^7, with x = levels[codes[i]].
__global__ void polynomial(const unsigned char *codes, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = levels[codes[i]];
  float sum = 0.0f;
  for (int k = 7; k >= 0; --k)
    sum = sum * x + coefficients[k];
  out[i] = sum;
}

// Called by the host before any launch, perhaps several times; h_table lies in host memory.
void set_levels(const float *h_table) { cudaMemcpyToSymbol(levels, h_table, 256 * sizeof(float)); }

// The same, of `count` coefficients from number `first` on; the others stay what they were.
void set_coefficients(const float *h_values, int first, int count) {
  // TODO 2: this is right as long as first is 0.
  cudaMemcpyToSymbol(coefficients, h_values, count * sizeof(float));
  // end of TODO
}
