/// @file
/// The chapter's problem: the inclusive scan of n 32-bit integers, and what all steps share.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

/// Unsigned, because its overflow is defined: sums are taken modulo 2^32, whatever the order of
/// the additions. So any two correct programs agree in every bit.
using Value = unsigned;

using std::size_t;

/// One input, its scan as the host knows it, and the device memory the steps need.
struct Scan {
  explicit Scan(const lab::Case &c);

  void prepare();
  lab::Verdict check();

  size_t n;
  int block; // threads per block, a power of two from 32 to 1024
  std::vector<Value> h_in;
  std::vector<Value> expected; // from a plain loop that shares nothing with any kernel
  std::vector<Value> host_result;

  lab::DeviceBuffer<Value> d_in;
  lab::DeviceBuffer<Value> d_out;
  lab::DeviceBuffer<Value> d_sums; // one for each tile, of all levels one after the other
  lab::DeviceBuffer<unsigned long long> d_words; // tickets drawn, then what is known of each tile
  lab::DeviceBuffer<unsigned char> d_cub; // what CUB asks for
};

/// The host's scan: out[i] = in[0] + … + in[i], in a plain loop.
void scan_loop(const std::vector<Value> &in, std::vector<Value> &out);

/// Blocks that cover n elements with `per_block` each; one block for none.
inline unsigned blocks_for(size_t n, size_t per_block) {
  const size_t blocks = (n + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

/// Scan, then add. A launch scans each tile by itself and leaves the tiles' sums; those are
/// scanned in the same way, and a last launch adds to each tile what the tiles before it sum up to.
///
/// `scan(tiles, in, n, out, sums)` launches a block for each tile, which writes sums[tile];
/// `add(tiles, sums, n, out)` adds sums[tile - 1] to all of a tile.
template <class ScanTiles, class AddSums>
void scan_by_levels(
    const Value *in, size_t n, Value *out, Value *sums, size_t tile, ScanTiles scan, AddSums add) {
  const unsigned tiles = blocks_for(n, tile);
  scan(tiles, in, n, out, sums);
  LAB_CHECK_LAUNCH();
  if (tiles == 1)
    return;
  scan_by_levels(sums, tiles, sums, sums + tiles, tile, scan, add);
  add(tiles, sums, n, out);
  LAB_CHECK_LAUNCH();
}

/// Gives CUB the memory it asks for. Not part of its time.
void allocate_for_cub(Scan &p);

/// cub::DeviceScan::InclusiveSum.
void run_cub(Scan &p);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<Scan> &ladder);
void register_demos(lab::Ladder<Scan> &ladder);
