// 01.2 · From kernel to launch
//
// The Euclidean distance of n points from one point, and the launch that computes all of them.
#include <cuda_runtime.h>

__global__ void distance(const float2 *points, int n, float2 from, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO 1: out[i] is the distance of points[i] from `from`, for the i that there are.
  if (i < n)
    out[i] = 0.0f;
  // end of TODO
}

// Called by the host; d_points and d_out are in device memory. n may be 0: then there is nothing to do.
void distances(const float2 *d_points, int n, float2 from, float *d_out) {
  // TODO 2: launch enough blocks of 128 threads, and no more. A launch of no blocks is an error.
  distance<<<1, 128>>>(d_points, n, from, d_out);
  // end of TODO
}
