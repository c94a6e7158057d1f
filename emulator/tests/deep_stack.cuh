// A kernel that takes as much of each thread's stack as is asked for.
#pragma once

inline __device__ int digs(int depth) {
  volatile char hole[1000];
  hole[depth % 1000] = 1;
  return depth == 0 ? hole[0] : digs(depth - 1) + hole[depth % 1000];
}

/// out[blockDim.x]; some 1000 bytes for each of `depth`.
inline __global__ void digs_deep(int *out, int depth) {
  __syncthreads();
  out[threadIdx.x] = digs(depth);
}
