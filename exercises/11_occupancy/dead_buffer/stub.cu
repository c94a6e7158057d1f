// 11.2 · A dead buffer
//
// Days and nights in a desert: a record of 33 temperatures of each day, x, and one of each night, y. By how much does the
// hottest exceed the coldest? Records go through shared memory, so that loads are coalesced: two buffers of 16.5 KB each.
#include <cuda_runtime.h>

constexpr int threads = 128, length = 33; // of a block, of a record
constexpr int numbers = threads * length;

// Dynamic shared memory of a block, in bytes.
// TODO 1: half of it is enough.
size_t shared_bytes() { return 2 * numbers * sizeof(int); }
// end of TODO

// out[r]: the largest number of x's record r less the smallest of y's. Blocks of 128 threads, and enough.
__global__ void gaps(const int *x, const int *y, int records, int *out) {
  extern __shared__ int s_data[];
  const int first = blockIdx.x * numbers; // of the block's numbers
  const int mine = min(numbers, records * length - first);
  const int record = blockIdx.x * threads + threadIdx.x;
  // TODO 2: in half of the room.
  int *s_x = s_data, *s_y = s_data + numbers;
  for (int k = threadIdx.x; k < mine; k += threads) {
    s_x[k] = x[first + k];
    s_y[k] = y[first + k];
  }
  __syncthreads();
  if (record >= records)
    return;
  int largest = s_x[threadIdx.x * length], smallest = s_y[threadIdx.x * length];
  for (int k = 1; k < length; ++k) {
    largest = max(largest, s_x[threadIdx.x * length + k]);
    smallest = min(smallest, s_y[threadIdx.x * length + k]);
  }
  // end of TODO
  out[record] = largest - smallest;
}
