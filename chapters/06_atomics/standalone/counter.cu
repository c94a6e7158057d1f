#include <cstdio>
#include <cuda_runtime.h>

// Every thread adds 1 to the same word.
__global__ void count(unsigned *counter) {
  const unsigned seen = *counter;
  __syncwarp(); // all lanes of the warp have read before one of them writes
  *counter = seen + 1;
}

int main() {
  unsigned *d_counter, h_counter;
  cudaMalloc(&d_counter, sizeof h_counter);
  cudaMemset(d_counter, 0, sizeof h_counter);

  count<<<1, 32>>>(d_counter);

  cudaMemcpy(&h_counter, d_counter, sizeof h_counter, cudaMemcpyDeviceToHost);
  std::printf("%s: %u\n", cudaGetErrorString(cudaGetLastError()), h_counter);
  cudaFree(d_counter);
}
