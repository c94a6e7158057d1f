// 02.1 · Take turns
//
// The sum of the squares of n ints, by one block: each thread leaves its own part of the sum. It is
// right. But each thread has a piece of the array for itself.
#include <cuda_runtime.h>

// One block, of any size. partials[tid] is the part of thread tid; the host adds them up.
__global__ void sum_of_squares(const int *in, int n, unsigned long long *partials) {
  const int tid = threadIdx.x;
  const int threads = blockDim.x;
  unsigned long long sum = 0;
  // TODO: in each round the lanes of a warp read 32 ints that lie far apart. Let them read neighbours.
  const int piece = (n + threads - 1) / threads;
  for (int i = tid * piece; i < (tid + 1) * piece && i < n; ++i)
    sum += static_cast<unsigned long long>(static_cast<long long>(in[i]) * in[i]);
  // end of TODO
  partials[tid] = sum;
}
