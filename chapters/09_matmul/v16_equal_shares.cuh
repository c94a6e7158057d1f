// Was:   blocks run in waves: 2048 tiles fill the device 15 times, and then half of it.
// Now:   the tiles of the last wave are cut along K: an equal share for each multiprocessor.
// Watch: blocks of the grid; and sectors of a store to C: lanes of a warp store, or add, whole rows.
#pragma once

#include "shares.cuh"
#include "steps.hpp"
#include "tile.cuh"
#include "v15_two_groups.cuh"

namespace v16 {

__device__ int rounds_in_C[1024]; // of each tile that is cut, of which there are fewer than SMs

template <class T>
__global__ void __launch_bounds__(T::BLOCK, T::PER_SM) matmul(Operands m, Shares shares) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS, STAGES = T::STAGES;
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  __shared__ RowsOfWarp s_rows[BLOCK / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS); // in the tile
  const int warp_col = warp % T::WARPS_ABREAST * (8 * MY_COLS);
  const int my_row = warp_row + lane_row(lane) * 4, my_col = warp_col + lane_col(lane) * 4;
  for (Rounds work = shares.of_block(blockIdx.x); work.begin < work.end;) {
    const Piece piece = shares.first_piece(work);
    const Place from = {piece.tile / shares.abreast * ROWS, piece.tile % shares.abreast * COLS};
    const int row0 = min(m.M - ROWS, from.row), col0 = min(m.N - COLS, from.col);
    PlainSum sum[MY_ROWS][MY_COLS] = {};
    TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0, piece.first, piece.last);
    walk.begin(s_A, s_B);
    float a[2][MY_ROWS], b[2][MY_COLS]; // of this k and of the next
    const auto load = [&](int into, int stage, int k) {
#pragma unroll
      for (int j = 0; j < MY_COLS; j += 4)
        load4(&b[into][j], &s_B[stage][k][my_col + j * 8]);
#pragma unroll
      for (int i = 0; i < MY_ROWS; i += 4)
        load4(&a[into][i], &s_A[stage][k][my_row + i * 4]);
    };
    __pipeline_wait_prior(STAGES - 2); // my share of the first stage has come
    __syncthreads(); // and everybody's
    load(0, 0, 0);
    for (int round = piece.first, stage = 0, next = STAGES - 1; round < piece.last; ++round) {
#pragma unroll
      for (int k = 0; k < DEPTH; ++k) {
        if (k == DEPTH - 1) {
          __pipeline_wait_prior(STAGES - 2);
          __syncthreads(); // the next stage is there, and nobody needs this one any more
          stage = stage == STAGES - 1 ? 0 : stage + 1;
        }
        if (k == 0) {
          walk.copy(s_A[next], s_B[next]);
          next = next == STAGES - 1 ? 0 : next + 1;
        }
        load((k + 1) % 2, stage, (k + 1) % DEPTH);
        add_products_down_and_up<T>(sum, a[k % 2], b[k % 2]);
      }
    }
    wait_for_turn(rounds_in_C, shares, piece);
    const bool add = piece.last < shares.rounds; // not the first one to come
    store_rows<T>(sum, s_rows[warp], m, {row0 + warp_row, col0 + warp_col}, from, add);
    pass_turn(rounds_in_C, shares, piece);
    work.begin += piece.last - piece.first;
  }
}

inline void run(Matmul &p) {
  using T = v14::Wide;
  const dim3 tiles = grid_of_tiles(p.plain.N, T::COLS, p.plain.M, T::ROWS);
  const int sms = lab::choose_device().sm_count;
  if (!fits<T>(p.plain) || 2 * int(tiles.x * tiles.y) < sms)
    return v15::run(p);
  const Shares shares(tiles, ceil_div(p.plain.K, T::DEPTH), sms);
  matmul<T><<<shares.blocks(), T::BLOCK>>>(p.plain, shares);
  LAB_CHECK_LAUNCH();
}

} // namespace v16
