#include <cstdio>
#include <cuda_runtime.h>

// Moves 32 generators of random numbers on by many steps.
__global__ void advance(unsigned long long *out, int steps) {
  unsigned long long x = threadIdx.x;
  for (int step = 0; step < steps; ++step)
    x = 6364136223846793005u * x + 1442695040888963407u;
  out[threadIdx.x] = x;
}

int main() {
  unsigned long long *d_a, *d_b, h_a[32];
  cudaMalloc(&d_a, sizeof h_a);
  cudaMalloc(&d_b, sizeof h_a);

  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);

  advance<<<1, 32, 0, one>>>(d_a, 100000); // the fourth argument: which stream
  advance<<<1, 32, 0, two>>>(d_b, 100000);
  cudaStreamSynchronize(one); // the host waits until all of this stream is done
  cudaStreamSynchronize(two);

  cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
  std::printf("%s: %llx\n", cudaGetErrorString(cudaGetLastError()), h_a[1]);

  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(d_a);
  cudaFree(d_b);
}
