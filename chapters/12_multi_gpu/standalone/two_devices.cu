#include <cstdio>
#include <cuda_runtime.h>

__global__ void add_one(int *number) { *number += 1; }

int main() {
  int *a, *b, number = 0;
  cudaMalloc(&a, sizeof *a); // a new thread of the host begins with device 0
  cudaSetDevice(1);
  cudaMalloc(&b, sizeof *b);
  cudaSetDevice(0);
  cudaMemcpy(a, &number, sizeof number, cudaMemcpyHostToDevice);
  cudaMemcpy(b, &number, sizeof number, cudaMemcpyHostToDevice);

  add_one<<<1, 1>>>(a);
  add_one<<<1, 1>>>(b);
  cudaDeviceSynchronize();

  cudaMemcpy(&number, b, sizeof number, cudaMemcpyDeviceToHost);
  std::printf("%s: %d\n", cudaGetErrorString(cudaGetLastError()), number);
  cudaFree(a);
  cudaFree(b);
}
