#include <cstdio>
#include <cuda_runtime.h>

__global__ void double_it(int *value) { *value *= 2; }

int main() {
  int *value;
  cudaMallocManaged(&value, sizeof(int));

  *value = 21; // the host writes
  double_it<<<1, 1>>>(value);
  cudaDeviceSynchronize(); // the host waits
  std::printf("%d, %s\n", *value, cudaGetErrorString(cudaGetLastError())); // and reads

  cudaFree(value);
}
