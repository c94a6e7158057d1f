// Was:   blocks run in waves: 512 tiles fill 132 multiprocessors three times, and then 116 of them.
// Now:   the tiles of the last wave are cut along K: an equal share for each multiprocessor.
// Watch: blocks of the grid; and the time, which is that of a whole number of waves no more.
#pragma once

#include "steps/shares.cuh"
#include "steps/steps.hpp"
#include "steps/v17_whole_rows.cuh"

namespace v18 {

template <class T>
__global__ void __launch_bounds__(T::BLOCK, T::PER_SM)
    matmul(Operands m, Shares shares, unsigned *turns) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS, STAGES = T::STAGES;
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  __shared__ RowsOfWarp s_rows[BLOCK / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS); // in the tile
  const int warp_col = warp % T::WARPS_ABREAST * (8 * MY_COLS);
  const int my_row = warp_row + lane_row(lane) * 4, my_col = warp_col + lane_col(lane) * 4;
  for (Rounds work = shares.of_block(draw_number(shares, turns)); work.begin < work.end;) {
    const Piece piece = shares.first_piece(work);
    const Place from = {piece.tile / shares.abreast * ROWS, piece.tile % shares.abreast * COLS};
    const int row0 = min(m.M - ROWS, from.row), col0 = min(m.N - COLS, from.col);
    PlainSum sum[MY_ROWS][MY_COLS] = {};
    TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0, piece.first, piece.last);
    walk.begin(s_A, s_B);
    multiply<T>(sum, s_A, s_B, walk, piece.last - piece.first, my_row, my_col);
    wait_for_turn(turns, shares, piece);
    const bool add = piece.last < shares.rounds; // not the first one to come
    store_rows<T>(sum, s_rows[warp], m, {row0 + warp_row, col0 + warp_col}, from, add);
    pass_turn(turns, shares, piece);
    work.begin += piece.last - piece.first;
  }
}

inline void run(Matmul &p) {
  using T = v15::Wide;
  const dim3 tiles = grid_of_tiles(p.plain.N, T::COLS, p.plain.M, T::ROWS);
  const int sms = lab::choose_device().sm_count;
  if (!fits<T>(p.plain) || 2 * int(tiles.x * tiles.y) < sms)
    return v16::run(p);
  const Shares shares(tiles, ceil_div(p.plain.K, T::DEPTH), sms);
  matmul<T><<<shares.blocks(), T::BLOCK, 0, p.stream>>>(p.plain, shares, p.turns.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v18
