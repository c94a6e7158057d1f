/// @file
/// The chapter's problem: how often each of the 256 bytes occurs, and what all steps share.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using Byte = unsigned char;
using std::size_t;

constexpr unsigned bins = 256; // one for each value of a byte

/// Bytes, their histogram as the host knows it, and both on the device.
struct Histogram {
  explicit Histogram(const lab::Case &c);

  void prepare();
  lab::Verdict check();

  size_t n;
  int block; // threads per block, a power of two from 32 to 1024
  std::vector<Byte> h_in;
  std::vector<unsigned> expected; // from a plain loop that shares nothing with any kernel
  std::vector<unsigned> host_result;

  lab::DeviceBuffer<Byte> d_in;
  lab::DeviceBuffer<unsigned> d_bins;
  lab::DeviceBuffer<unsigned char> d_cub; // what CUB asks for
};

/// The host's histogram: a plain loop.
std::vector<unsigned> count_bytes(const std::vector<Byte> &bytes);

/// Makes all bytes of the input equal: the worst that a histogram can meet.
void make_all_equal(Histogram &p);

/// Blocks that cover n elements with `per_block` each; one block for none.
inline unsigned blocks_for(size_t n, size_t per_block) {
  const size_t blocks = (n + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

/// Blocks that fill the device once, or fewer where threads would get less than 64 bytes.
inline unsigned blocks_to_fill(size_t n, int block) {
  const unsigned fill = static_cast<unsigned>(lab::choose_device().resident_blocks(block));
  const unsigned useful = blocks_for(n, 64 * static_cast<size_t>(block));
  return useful < fill ? useful : fill;
}

/// Every step starts from empty bins; emptying them is part of its time.
inline void empty_bins(Histogram &p) {
  LAB_CHECK(cudaMemsetAsync(p.d_bins.data(), 0, p.d_bins.bytes()));
}

/// Gives CUB the memory it asks for. Not part of its time.
void allocate_for_cub(Histogram &p);

/// cub::DeviceHistogram::HistogramEven with 256 bins from 0 to 256.
void run_cub(Histogram &p);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<Histogram> &ladder);
void register_demos(lab::Ladder<Histogram> &ladder);
