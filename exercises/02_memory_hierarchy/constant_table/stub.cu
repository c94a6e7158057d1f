// 02.5 · A table that all lanes read
//
// A polynomial of degree 7 at n places. All threads need the same eight coefficients: __constant__ memory
// hands one word to a whole warp at a time.
#include <cuda_runtime.h>

// TODO 1: a table of 8 floats in constant memory.
__device__ float *coefficients;
// end of TODO

// out[i] = c[0] + c[1] x + … + c[7] x^7, with x = in[i].
__global__ void polynomial(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = in[i];
  float sum = 0.0f;
  for (int k = 7; k >= 0; --k)
    sum = sum * x + coefficients[k];
  out[i] = sum;
}

// Called by the host before any launch, perhaps several times; h_table lies in host memory.
void set_coefficients(const float *h_table) {
  // TODO 2: bring the table to the device. What is the function called that copies to a symbol?
  float *d_table;
  cudaMalloc(&d_table, 8 * sizeof(float));
  cudaMemcpy(d_table, h_table, 8 * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(coefficients, &d_table, sizeof d_table);
  // end of TODO
}
