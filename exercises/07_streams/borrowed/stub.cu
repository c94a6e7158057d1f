// 07.8 · Borrowed for a while
//
// A hike's steepest climb and its steepest descent: the heights 3 5 4 8 2 have the slopes 2 -1 4 -6, so they are 4 and
// 6. One kernel makes the slopes, in borrowed memory; two others look through them at the same time, each in a stream
// of its own, while the first stream makes the next hike's. It is right. But the host waits for the slopes, and in
// cudaFree() until the device has nothing to do, and everybody with it.
#include <cuda_runtime.h>

namespace {

__global__ void find_slopes(const int *heights, int n, int *slopes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n - 1) and some more
  if (i < n - 1)
    slopes[i] = heights[i + 1] - heights[i];
}

// Of a climb (sign = 1) or a descent (sign = -1).
__global__ void find_steepest(const int *slopes, int n, int sign, int *result) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine = max(mine, sign * slopes[i]);
  atomicMax(result, mine);
}

} // namespace

// n > 1 heights; *d_climb and *d_descent are 0 at first. They are there when `up` and `down` are done; nobody is waited
// for. Called for hike after hike, each time with the same event, and for several sets of streams at a time, each with
// an event of its own; afterwards no memory is left behind.
cudaError_t steepest(const int *d_heights,
                     int n,
                     int *d_climb,
                     int *d_descent,
                     cudaStream_t first,
                     cudaStream_t up,
                     cudaStream_t down,
                     cudaEvent_t mark) {
  int *d_slopes = nullptr;
  // TODO 1: borrow it so that nobody has to wait.
  const cudaError_t error = cudaMalloc(&d_slopes, (n - 1) * sizeof(int));
  // end of TODO
  if (error != cudaSuccess)
    return error;
  find_slopes<<<(n + 255) / 256, 256, 0, first>>>(d_heights, n, d_slopes);
  // TODO 2: both need the slopes.
  (void)mark;
  cudaStreamSynchronize(first);
  // end of TODO
  find_steepest<<<4, 128, 0, up>>>(d_slopes, n - 1, 1, d_climb);
  find_steepest<<<4, 128, 0, down>>>(d_slopes, n - 1, -1, d_descent);
  // TODO 3: give it back, when nobody needs it any more. As it stands everybody waits for that.
  return cudaFree(d_slopes);
  // end of TODO
}
