/// @file
/// The chapter's problem: the transpose of a matrix, and what all its steps share.
#pragma once

#include "ladder/chapter.hpp"
#include "steps/banks.hpp"

#include <cstddef>
#include <vector>

using std::size_t;

constexpr unsigned tile = 32; // a block transposes 32 x 32 elements: one column for each lane
constexpr unsigned block_rows = 8; // with 8 warps, each of which takes every eighth row

/// A matrix, its transpose as the host knows it, and both on the device. Row after row in memory.
struct Transpose {
  explicit Transpose(const lab::Case &c);

  void prepare();
  lab::Verdict check();

  size_t rows, cols; // of the input
  std::vector<float> h_in;
  std::vector<float> expected; // [cols][rows]
  lab::DeviceBuffer<float> d_in;
  lab::DeviceBuffer<float> d_out;
  lab::DeviceBuffer<unsigned> d_words; // for traps: the word of shared memory each lane read
};

/// Right for a step that copies the matrix instead.
lab::Verdict check_copy(Transpose &p);

using Kernel = void (*)(const float *in, size_t rows, size_t cols, float *out);

/// Launches one block of 32 x 8 threads for each tile of the input; of no tile, none.
void launch_by_tiles(Transpose &p, Kernel kernel);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<Transpose> &ladder);
void register_demos(lab::Ladder<Transpose> &ladder);
