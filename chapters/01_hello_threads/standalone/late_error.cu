#include <cstdio>
#include <cuda_runtime.h>

__global__ void write_one(int *target) { *target = 1; }

cudaError_t say(const char *call, cudaError_t answer) {
  printf("%-40s%s\n", call, cudaGetErrorName(answer));
  return answer;
}

int main() {
  int *d_number = nullptr, h_number = 0;
  say("cudaMalloc", cudaMalloc(&d_number, sizeof(int)));

  write_one<<<1, 1>>>(nullptr); // no memory is there
  say("cudaGetLastError after the launch", cudaGetLastError());
  const cudaError_t late = say("cudaDeviceSynchronize", cudaDeviceSynchronize());

  write_one<<<1, 1>>>(d_number); // nothing is wrong with this launch
  say("cudaGetLastError after a good launch", cudaGetLastError());
  say("cudaMemcpy", cudaMemcpy(&h_number, d_number, sizeof(int), cudaMemcpyDeviceToHost));
  say("cudaFree", cudaFree(d_number));
  printf("the good launch wrote %d\n", h_number);
  return late == cudaErrorIllegalAddress ? 0 : 1;
}
