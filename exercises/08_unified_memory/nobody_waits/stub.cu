// 08.1 · Nobody waits for you
//
// A long row of numbers goes through one small buffer of managed memory, part by part. Whoever wrote this was
// careful: the host waits behind each line that a kernel might have to do with. It is right, and most of these waits
// are for nothing.
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

// The sum of parts * n numbers, and of `rest` more, each times the weight of its place in its part. buffer and
// weights (n numbers each) and sum (one) are managed memory; all kernels run in this stream, which does not wait
// for others.
unsigned weighted_sum(const unsigned *numbers,
                      int parts,
                      int n,
                      int rest,
                      unsigned *buffer,
                      const unsigned *weights,
                      unsigned *sum,
                      cudaStream_t stream) {
  // TODO: keep one of the waits, or two, so that nobody reads or writes too early, and delete the others.
  *sum = 0;
  cudaStreamSynchronize(stream);
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < n; ++i)
      buffer[i] = numbers[part * n + i];
    cudaStreamSynchronize(stream);
    weigh<<<4, 64, 0, stream>>>(buffer, weights, n);
    cudaStreamSynchronize(stream);
    add_up<<<4, 64, 0, stream>>>(buffer, n, sum);
    cudaStreamSynchronize(stream);
  }
  unsigned own = 0; // the rest fills no part: the host adds it up itself
  for (int i = 0; i < rest; ++i)
    own += numbers[parts * n + i] * weights[i];
  cudaStreamSynchronize(stream);
  return *sum + own;
  // end of TODO
}
