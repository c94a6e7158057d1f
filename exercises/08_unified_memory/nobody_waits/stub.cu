// 08.1 · Nobody waits for you
//
// A long row of numbers goes through one small buffer of managed memory, part by part: the host fills the
// buffer, a kernel adds it up, the host fills it again. No copy, and nobody who waits.
#include <cuda_runtime.h>

// *sum += in[0] + … + in[n - 1]. Any launch.
__global__ void add_up(const unsigned *in, int n, unsigned *sum) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    atomicAdd(sum, in[i]);
}

// The sum of parts * n numbers. buffer (n numbers) and sum (one) are managed memory; all kernels run in
// this stream, which does not wait for others.
unsigned sum_of_parts(const unsigned *numbers,
                      int parts,
                      int n,
                      unsigned *buffer,
                      unsigned *sum,
                      cudaStream_t stream) {
  // TODO: find the two places where the host touches what a kernel may still be using, and wait there.
  *sum = 0;
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < n; ++i)
      buffer[i] = numbers[part * n + i];
    add_up<<<4, 64, 0, stream>>>(buffer, n, sum);
  }
  return *sum;
  // end of TODO
}
