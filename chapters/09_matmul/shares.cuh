/// @file
/// Work in equal shares: which rounds of which tiles a block computes, and when they are added to C.
#pragma once

#include "problem.hpp"

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

  /// The last part goes to the first block: the others then wait for blocks that began before them.
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

/// Waits until all rounds behind the piece are in C: pieces of a tile are added from the last to the
/// first, whoever is ready first, and the sum is the same every time. For all threads of a block.
/// \param rounds_in_C  of each tile that is cut; 0 before the first piece and after the last
__device__ inline void wait_for_turn(int *rounds_in_C, const Shares &shares, const Piece &piece) {
  if (shares.is_whole(piece))
    return;
  const volatile int *const done = &rounds_in_C[piece.tile - shares.whole];
  if (threadIdx.x == 0)
    while (*done != shares.rounds - piece.last) {
    }
  __syncthreads();
  __threadfence(); // what others added comes before what I add
}

/// Says that the piece is in C now. For all threads of a block, which may begin another piece then.
__device__ inline void pass_turn(int *rounds_in_C, const Shares &shares, const Piece &piece) {
  __pipeline_wait_prior(0); // no copy of mine is on its way any more
  __threadfence(); // what I added comes first
  __syncthreads(); // and what everybody did
  if (threadIdx.x == 0 && !shares.is_whole(piece))
    atomicExch(&rounds_in_C[piece.tile - shares.whole],
               piece.first == 0 ? 0 : shares.rounds - piece.first);
}
