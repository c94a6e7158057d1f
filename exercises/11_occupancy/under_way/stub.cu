// 11.8 · Under way meanwhile
//
// A picture is locked, each of its lines with the mirror image of the next one, and the last line with a key. A block
// goes from line to line, loads two, waits, and unlocks one. While it works nothing is under way.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int TILE = 64;

// Blocks of TILE threads; block b has the tiles + 1 tiles of `in` from tile b * (tiles + 1) on, of which the last is
// the key. out[i] is the sum of number i of a tile and the one opposite to it in the next tile.
__global__ void add_opposite(const unsigned *in, int tiles, unsigned *out) {
  __shared__ unsigned s_tile[2][TILE];
  const int tid = threadIdx.x;
  in += static_cast<size_t>(blockIdx.x) * (tiles + 1) * TILE;
  out += static_cast<size_t>(blockIdx.x) * tiles * TILE;
  // TODO: while a line is unlocked, the next tile that nobody has yet is to be under way. Load each once, into these two
  // buffers, with one barrier for each tile. A line needs two tiles: where is a third one to go?
  // __pipeline_memcpy_async(to, from, bytes) begins a copy, __pipeline_commit() closes a group of them,
  // __pipeline_wait_prior(0) waits for all of this thread's.
  for (int t = 0; t < tiles; ++t) {
    s_tile[0][tid] = in[t * TILE + tid];
    s_tile[1][tid] = in[(t + 1) * TILE + tid];
    __syncthreads();
    out[t * TILE + tid] = s_tile[0][tid] + s_tile[1][TILE - 1 - tid];
    __syncthreads();
  }
  // end of TODO
}
