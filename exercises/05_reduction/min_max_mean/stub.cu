// 05.7 · Buy low, sell later
//
// A price for each day. What could have been gained in 256 days, had one known them all?
#include <cuda_runtime.h>

struct Summary {
  float low; // the lowest price of these days
  float high; // the highest
  float gain; // the most that comes of buying on one of them and selling on a later one; at least 0
};

// TODO 1: what does a thread bring that has no day? It must change no summary that it is merged with.
__device__ Summary of_nothing() { return {0.0f, 0.0f, 0.0f}; }
// end of TODO

// TODO 2: the summary of a's days and b's. All days of a come before those of b.
__device__ Summary merge(Summary a, Summary b) { return {a.low, b.high, a.gain + b.gain}; }
// end of TODO

// Blocks of 256 threads, a thread for each of n days; n may be anything. out[b] is the summary of block b's days.
__global__ void best_trade(const float *price, int n, Summary *out) {
  __shared__ Summary s_data[256];
  const int tid = threadIdx.x;
  const int day = blockIdx.x * blockDim.x + tid;
  s_data[tid] = day < n ? Summary{price[day], price[day], 0.0f} : of_nothing();
  __syncthreads();
  // TODO 3: this tree is good for sums. Is it for merge()?
  for (int stride = 128; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] = merge(s_data[tid], s_data[tid + stride]);
    __syncthreads();
  }
  // end of TODO
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}
