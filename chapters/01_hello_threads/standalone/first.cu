#include <cstdio>
#include <cuda_runtime.h>

__global__ void square(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; // which thread am I?
  if (i < n)
    x[i] = x[i] * x[i];
}

int main() {
  const int n = 1000;
  float h_x[n], *d_x;
  for (int i = 0; i < n; ++i)
    h_x[i] = i;

  cudaMalloc(&d_x, n * sizeof(float)); // memory of the GPU
  cudaMemcpy(d_x, h_x, n * sizeof(float), cudaMemcpyHostToDevice);
  square<<<4, 256>>>(d_x, n); // 4 blocks of 256 threads: 1024, enough for 1000 elements
  cudaMemcpy(h_x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_x);

  printf("%s: 999 squared is %g\n", cudaGetErrorString(cudaGetLastError()), h_x[999]);
  return h_x[999] == 998001 ? 0 : 1;
}
