// 04.4 · Two buffers
//
// In each round every element becomes the exclusive or of its two neighbours, left ^ right: 0 0 1 0 0 is 0 1 0 1 0 after one
// round, and 1 0 0 0 1 after two. Two buffers take turns, and one barrier a round would do. This kernel has one for every two
// rounds, and is racy: threads read what is not yet there, and overwrite what others still read. One for two rounds can be
// enough, if a thread reckons two rounds at once from what lies in the buffer.
#include <cstring>
#include <cuda_runtime.h>

// A word of yours, of up to 8 letters, each of which is an element. Four are best. What will 16 rounds make of it?
void choose(char *word) { std::strcpy(word, "ECHO"); }

// Blocks of 256 threads; block b has the elements from 256 * b on. Beyond the block there are zeros in each round, and
// elements past n begin as zeros and take part.
__global__ void grow(const unsigned *in, int n, int rounds, unsigned *out) {
  __shared__ unsigned s_data[2][256];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * 256 + tid;

  // TODO: mend it with rounds / 2 + 1 barriers at most: 5 for 8 rounds, and 4 for 7. Which elements of a buffer decide what a
  // thread has two rounds later?
  s_data[0][tid] = i < n ? in[i] : 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned *s_from = s_data[round % 2];
    const unsigned left = tid > 0 ? s_from[tid - 1] : 0;
    const unsigned right = tid < 255 ? s_from[tid + 1] : 0;
    s_data[(round + 1) % 2][tid] = left ^ right;
    if (round % 2 == 1) // after a turn of both buffers
      __syncthreads();
  }
  if (i < n)
    out[i] = s_data[0][tid];
  // end of TODO
}
