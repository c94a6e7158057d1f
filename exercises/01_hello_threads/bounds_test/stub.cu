// 01.1 · A bounds test to repair
//
// The mean of each element and its neighbours: out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3. The first
// and the last element have one neighbour only, and a single element has none: then it is the mean of
// those that there are.
#include <cuda_runtime.h>

// There are at least n threads.
__global__ void neighbour_mean(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // TODO: this reads in front of the first element and behind the last one. Repair it.
  float sum = in[i - 1] + in[i] + in[i + 1];
  int count = 3;
  // end of TODO
  out[i] = sum / static_cast<float>(count);
}
