// 06.3 · One asks for all
//
// One night's photograph of the sky is subtracted from the next one's. The stars cancel out; what is left is noise, and what
// has moved. With the limit 7, and changes 3 9 -1 -8 7, something has come to pixels 1 and 4, and something has gone from
// pixel 3. The threads that find it draw places for their answers.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers. come and gone have room for n answers each, in any order. *found is 0 at first;
// its lower half ends as the number of answers in come, its upper half as that of answers in gone. limit is 1 or more.
__global__ void
where(const int *changes, int n, int limit, int *come, int *gone, unsigned long long *found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: each answer draws a place by an atomic of its own. All 32 lanes of a warp may make one, for both lists.
  unsigned *halves = reinterpret_cast<unsigned *>(found); // the lower one comes first
  if (i < n && changes[i] >= limit)
    come[atomicAdd(&halves[0], 1u)] = i;
  if (i < n && changes[i] <= -limit)
    gone[atomicAdd(&halves[1], 1u)] = i;
  // end of TODO
}
