// 08.1 · Nobody waits for you
//
// A long row of numbers goes through a small buffer of managed memory, part by part, in two halves that take turns: while
// kernels work on one the host could fill the other. But whoever wrote this was careful, and put waits wherever a kernel
// might be at work. The sum is right, and the host stands still for each kernel.
#include <cuda_runtime.h>

// buffer[i] *= weights[i], for n of them. Any launch.
__global__ void weigh(unsigned *buffer, const unsigned *weights, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    buffer[i] *= weights[i];
}

// *sum += in[0] + … + in[n - 1]. Any launch.
__global__ void add_up(const unsigned *in, int n, unsigned *sum) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    atomicAdd(sum, in[i]);
}

// The sum of parts * n numbers, and of `rest` more, each times the weight of its place in its part. buffer (2 * n
// numbers), weights (n) and sum (one) are managed memory; all kernels run in this stream, which does not wait for
// others.
unsigned weighted_sum(const unsigned *numbers,
                      int parts,
                      int n,
                      int rest,
                      unsigned *buffer,
                      const unsigned *weights,
                      unsigned *sum,
                      cudaStream_t stream) {
  // TODO: the host stands still as seldom as two halves allow, and nobody reads or writes too early.
  *sum = 0;
  cudaStreamSynchronize(stream);
  for (int part = 0; part < parts; ++part) {
    unsigned *const half = buffer + part % 2 * n;
    for (int i = 0; i < n; ++i)
      half[i] = numbers[part * n + i];
    cudaStreamSynchronize(stream);
    weigh<<<4, 64, 0, stream>>>(half, weights, n);
    cudaStreamSynchronize(stream);
    add_up<<<4, 64, 0, stream>>>(half, n, sum);
  }
  unsigned own = 0; // the rest fills no part: the host adds it up itself
  for (int i = 0; i < rest; ++i)
    own += numbers[parts * n + i] * weights[i];
  cudaStreamSynchronize(stream);
  return *sum + own;
  // end of TODO
}
