/// @file
/// What the chapter shows besides its table.
#pragma once

#include "problem.hpp"

/// Adds all demos to the ladder.
void register_demos(lab::Ladder<Matrix> &ladder);

/// Sectors of 32 bytes that one request of a warp touches when lane k reads `bytes` bytes at address
/// offset + k * stride.
unsigned sectors_of_request(size_t bytes, size_t stride, size_t offset);

/// Of the bytes in those sectors, how many were asked for, in percent.
double percent_used(size_t bytes, unsigned sectors);

/// Useful bytes, 10^9 per second, of work that moves so many for each element.
template <class Work> double gbps(int bytes, const Matrix &p, Work &&work) {
  return bytes * static_cast<double>(p.elements()) /
         lab::measure(work, {.cold_l2 = true}).median_ms * 1e-6;
}

/// What stands in a table where nothing is timed.
inline const char *answer(const lab::Verdict &verdict) {
  return verdict.ok ? "    right\n" : "    WRONG\n";
}

/// Reads at strides of 4 to 8192 bytes, 4, 8 and 16 bytes at a time.
void show_strides(lab::Demo &demo);

/// Reads side by side that start 0 to 32 elements after a multiple of 256 bytes.
void show_offsets(lab::Demo &demo);

/// Reads of 8 bytes with other pieces that the L2 fetches from DRAM.
void show_granularity(lab::Demo &demo);

/// A matrix walked along its rows and down its columns.
void show_walks(lab::Demo &demo);

/// A copy through a tile in shared memory.
void show_through_tile(lab::Demo &demo);

/// The transpose with other tiles, other blocks, and loads one after the other.
void show_shapes(lab::Demo &demo);

/// Reads alone and writes alone, tile by tile, in two orders of the blocks.
void show_orders(lab::Demo &demo);

/// Vectors of three floats, stored in four ways.
void show_structures(lab::Demo &demo);

/// The order of blocks that was once recommended against "partition camping".
void show_partition_camping(lab::Demo &demo);
