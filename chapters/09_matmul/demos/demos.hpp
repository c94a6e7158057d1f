/// @file
/// What the chapter shows besides its table: the precision lab, and all shapes.
#pragma once

#include "problem.hpp"

/// Adds all demos to the ladder.
void register_demos(lab::Ladder<Matmul> &ladder);

void show_precision(lab::Demo &demo); ///< every way of adding up, against an exact sum
void show_cancellation(lab::Demo &demo); ///< sums that are small beside their terms
void show_fast_math(lab::Demo &demo); ///< the same code, compiled twice
void show_intrinsics(lab::Demo &demo); ///< the fast functions beside the accurate ones
void show_tf32(lab::Demo &demo); ///< what tensor cores do to the factors
void show_cublas_modes(lab::Demo &demo); ///< cuBLAS, in three modes
void show_kahan_2008(lab::Demo &demo); ///< the kernels of 2008, timed as they were timed then
void show_x_along_rows(
    lab::Demo &demo); ///< threadIdx.x counts rows, or columns; doubles, or floats
void show_block_order(lab::Demo &demo); ///< v0 with its blocks in another order
void show_roofline(lab::Demo &demo); ///< more and more arithmetic with each byte read
void show_shares_of_v9(lab::Demo &demo); ///< v9 with smaller pieces, and with fewer tiles
void show_orders(lab::Demo &demo); ///< v14 with its instructions in other orders
void show_two_at_once(lab::Demo &demo); ///< two products by v18, in two streams
void show_shapes(lab::Demo &demo); ///< ragged shapes and gaps between rows, in every step
