// 02.4 · Read once
//
// out[i] is the sum of in[i - 4] to in[i + 4]; what lies outside of the array counts as 0. Each number is
// needed nine times. It should come from global memory only once.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n elements.
__global__ void window_sum(const int *in, int n, int *out) {
  __shared__ int s_data[128 + 8]; // s_data[k] is for in[first - 4 + k]
  const int tid = threadIdx.x;
  const int first = blockIdx.x * 128; // element of thread 0
  const int i = first + tid;

  // TODO 1: bring in[first - 4] to in[first + 131] to s_data, zeros where there is nothing.
  s_data[tid] = 0;
  // end of TODO

  int sum = 0;
  // TODO 2: add up nine neighbours in s_data. Whose element i is at which place there?
  for (int k = i - 4; k <= i + 4; ++k)
    sum += 0 <= k && k < n ? in[k] : 0;
  // end of TODO
  if (i < n)
    out[i] = sum;
}
