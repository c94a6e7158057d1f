/// @file
/// Work in equal shares: which rounds of which tiles a block computes, and when they are added to C.
#pragma once

#include "problem.hpp"

#include <cuda/atomic>
#include <cuda_pipeline.h>

/// Rounds, counted through all tiles: tile t has those from t * rounds on.
struct Rounds {
  int begin, end;
};

/// Rounds first .. last of one tile.
struct Piece {
  int tile, first, last;
};

/// How the blocks of a grid share the tiles. `whole` blocks have one tile each, so many that they
/// fill all of the device a number of times. The tiles that are left are laid end to end along K and
/// cut into `parts` equal parts, for a block each: one for each multiprocessor.
struct Shares {
  int abreast; // tiles side by side
  int rounds; // of a tile
  int whole; // tiles that are not cut
  int cut; // tiles that are
  int parts;

  /// Blocks that add to the same tile wait for each other: 32 rounds are worth that.
  Shares(dim3 tiles, int rounds_, int sms)
      : abreast(static_cast<int>(tiles.x)), rounds(rounds_),
        whole(static_cast<int>(tiles.x * tiles.y) / sms * sms),
        cut(static_cast<int>(tiles.x * tiles.y) - whole),
        parts(cut * rounds < sms * 32 ? ceil_div(cut * rounds, 32) : sms) {}

  int blocks() const { return whole + parts; }

  /// What block number `block` does: a whole tile, or a part. The last part goes to the first block:
  /// the others then wait for parts that were given away before theirs.
  __device__ Rounds of_block(int block) const {
    if (block < whole)
      return {block * rounds, (block + 1) * rounds};
    const long long all = static_cast<long long>(cut) * rounds, part = parts - 1 - (block - whole);
    const int begin = whole * rounds;
    return {begin + static_cast<int>(part * all / parts),
            begin + static_cast<int>((part + 1) * all / parts)};
  }

  /// The first tile of some work, as far as it is part of that.
  __device__ Piece first_piece(Rounds work) const {
    const int first = work.begin % rounds;
    return {work.begin / rounds, first, min(rounds, first + work.end - work.begin)};
  }
  __device__ bool is_whole(const Piece &p) const { return p.last - p.first == rounds; }
};

/// turns[0]: how many parts are drawn. turns[1 + i]: how many rounds of the i-th tile that is cut are
/// in C. All are 0 before a launch, and again after it.
using Turn = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

/// This block's number. Whole tiles wait for nobody: blocks have them as they come. Parts are drawn:
/// so those before a part were drawn by blocks that run, and may be waited for.
__device__ inline int draw_number(const Shares &shares, unsigned *turns) {
  __shared__ unsigned s_drawn;
  if (static_cast<int>(blockIdx.x) < shares.whole)
    return blockIdx.x;
  if (threadIdx.x == 0)
    s_drawn = atomicInc(&turns[0], shares.parts - 1); // 0 again after the last part
  __syncthreads();
  return shares.whole + static_cast<int>(s_drawn);
}

/// Waits until all rounds after the piece are in C: pieces of a tile are added from the last to the
/// first, whoever is ready first, and the sum is the same every time. For all threads of a block.
__device__ inline void wait_for_turn(unsigned *turns, const Shares &shares, const Piece &piece) {
  if (shares.is_whole(piece))
    return;
  const unsigned before_me = shares.rounds - piece.last;
  if (threadIdx.x == 0)
    while (Turn(turns[1 + piece.tile - shares.whole]).load(cuda::memory_order_acquire) !=
           before_me) {
    }
  __syncthreads();
}

/// Says that the piece is in C now. For all threads of a block, which may begin another piece then.
__device__ inline void pass_turn(unsigned *turns, const Shares &shares, const Piece &piece) {
  __pipeline_wait_prior(0); // no copy of mine is on its way any more
  __syncthreads(); // what everybody added comes first
  if (threadIdx.x == 0 && !shares.is_whole(piece))
    Turn(turns[1 + piece.tile - shares.whole])
        .store(piece.first == 0 ? 0 : shares.rounds - piece.first, cuda::memory_order_release);
}
