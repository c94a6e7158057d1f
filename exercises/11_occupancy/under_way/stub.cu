// 11.8 · Under way meanwhile
//
// A block goes from tile to tile: it loads one, waits, works on it, waits, and loads the next one. While it works
// nothing is under way. cp.async copies to shared memory by itself: the next tile can come while this one is worked on.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int TILE = 128;

// Blocks of TILE threads; block b has the `tiles` tiles from tile b * tiles on. out[i] is the sum of number i and the
// one opposite to it in its tile.
__global__ void add_opposite(const unsigned *in, int tiles, unsigned *out) {
  __shared__ unsigned s_tile[2][TILE];
  const int tid = threadIdx.x;
  in += static_cast<size_t>(blockIdx.x) * tiles * TILE;
  out += static_cast<size_t>(blockIdx.x) * tiles * TILE;
  // TODO: two buffers that take turns, and one barrier for each tile. __pipeline_memcpy_async(to, from, bytes) begins
  // a copy, __pipeline_commit() closes a group of them, __pipeline_wait_prior(0) waits for all of this thread's.
  for (int t = 0; t < tiles; ++t) {
    s_tile[0][tid] = in[t * TILE + tid];
    __syncthreads();
    out[t * TILE + tid] = s_tile[0][tid] + s_tile[0][TILE - 1 - tid];
    __syncthreads();
  }
  // end of TODO
}
