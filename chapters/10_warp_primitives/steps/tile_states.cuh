// What tiles tell each other, in one word: so a status and its sum can't be seen apart, and no
// fence is needed between them.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

#include <cuda/atomic>

enum Status : unsigned {
  unknown = 0, // nothing yet
  own_sum = 1, // the sum of this tile alone
  sum_so_far = 2, // the sum of this tile and all before it
};

struct TileState {
  unsigned status;
  Value sum;
};

using StateWord = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

__device__ inline void tell(unsigned long long &word, TileState state) {
  const unsigned long long bits = static_cast<unsigned long long>(state.status) << 32 | state.sum;
  StateWord(word).store(bits, cuda::memory_order_relaxed);
}

__device__ inline TileState look_at(unsigned long long &word) {
  const unsigned long long bits = StateWord(word).load(cuda::memory_order_relaxed);
  return {static_cast<unsigned>(bits >> 32), static_cast<Value>(bits)};
}

// Looks until something is known.
__device__ inline TileState wait_for(unsigned long long &word) {
  TileState state = look_at(word);
  while (state.status == unknown)
    state = look_at(word);
  return state;
}

// A block draws the number of its tile. So all tiles before it have been drawn by blocks that run:
// whoever waits for them waits for somebody who is at work.
__device__ inline unsigned draw_tile(unsigned long long *tickets) {
  __shared__ unsigned s_tile;
  if (threadIdx.x == 0)
    s_tile = static_cast<unsigned>(atomicAdd(tickets, 1ull));
  __syncthreads();
  return s_tile;
}

// Of 32 states, the nearest in lane 0: their sum, back to the first that knows of all before it.
__device__ inline TileState add_up_warp(TileState state) {
  const unsigned ends = __ballot_sync(all_lanes, state.status == sum_so_far);
  const unsigned last = ends ? __ffs(static_cast<int>(ends)) - 1 : 31;
  const Value sum = warp_sum(threadIdx.x % 32 <= last ? state.sum : 0);
  return {ends ? sum_so_far : own_sum, sum};
}

// words[0]: how many tiles are drawn. words[1 + t]: the state of tile t. No tile is drawn, nothing is known. Part of each launch, and of its time.
inline void forget_tiles(Scan &p, unsigned tiles) {
  LAB_CHECK(cudaMemsetAsync(p.d_words.data(), 0, (1 + tiles) * sizeof(unsigned long long)));
}
