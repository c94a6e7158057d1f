// 02.4 · Heartbeats
//
// A heart beats where its signal is `least` or more, and none of the four numbers before and the four behind is greater.
// Beyond the ends there is nothing, and the signal may be negative. Each number is needed nine times. It should come from
// global memory only once.
#include <climits>
#include <cstring>
#include <cuda_runtime.h>

// The rhythm of a heart, up to 45 signs, four a second: x is a beat. Type another, and let it stumble.
void rhythm(char *signs) { std::strcpy(signs, "x...x...x...x.x.....x...x...x.......x...x...x"); }

// Blocks of 128 threads, enough for n elements. out[i] is 1 where it beats, and else 0.
__global__ void beats(const int *in, int n, int least, int *out) {
  __shared__ int s_data[128 + 8]; // room for all that the block's windows need
  const int tid = threadIdx.x;
  const int first = blockIdx.x * 128; // element of thread 0
  const int i = first + tid;

  // TODO 1: bring the block's part to s_data, each number once. What do you put where the signal has none?
  s_data[tid] = 0;
  // end of TODO

  bool beat = true;
  // TODO 2: ask s_data, not `in`.
  for (int k = max(i - 4, 0); i < n && k <= min(i + 4, n - 1); ++k)
    beat = beat && in[k] <= in[i] && in[i] >= least;
  // end of TODO
  if (i < n)
    out[i] = beat;
}
