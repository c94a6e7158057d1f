// 11.2 · A letter and its key
//
// A spy hides each letter in 33 numbers, x. Its key, y, has 33 numbers, too, and a gap: the place of the lowest one. Add up x
// from the first number to that place, and there is the letter. Both go through shared memory, so that loads are coalesced.
#include <cuda_runtime.h>

constexpr int threads = 128, length = 33; // of a block, of a letter
constexpr int numbers = threads * length;

// Dynamic shared memory of a block, in bytes.
// TODO 1: half of it is enough.
size_t shared_bytes() { return 2 * numbers * sizeof(int); }
// end of TODO

// out[i]: letter i. Of several lowest numbers in a key the first one counts. Blocks of 128 threads, and enough.
//
// With four numbers each: x = 60 7 5 9 and the key 8 3 6 3 are 60 + 7 = 67, a C.
__global__ void gaps(const int *x, const int *y, int letters, int *out) {
  extern __shared__ int s_data[];
  const int first = blockIdx.x * numbers; // of the block's numbers
  const int mine = min(numbers, letters * length - first);
  const int i = blockIdx.x * threads + threadIdx.x;
  // TODO 2: in half of the room.
  int *s_x = s_data, *s_y = s_data + numbers;
  for (int k = threadIdx.x; k < mine; k += threads) {
    s_x[k] = x[first + k];
    s_y[k] = y[first + k];
  }
  __syncthreads();
  if (i >= letters)
    return;
  const int begin = threadIdx.x * length; // of the thread's numbers
  int sum = s_x[begin], letter = sum, lowest = s_y[begin];
  for (int k = begin + 1; k < begin + length; ++k) {
    sum += s_x[k];
    if (s_y[k] < lowest) {
      lowest = s_y[k];
      letter = sum;
    }
  }
  // end of TODO
  out[i] = letter;
}
