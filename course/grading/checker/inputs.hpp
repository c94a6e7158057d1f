/// @file
/// What goes into a run of a checker, noted as it goes: the inputs at which answers break are either
/// among it, or the exercise's card says under [left_out] why not. ./tutor author --prove holds it to that.
#pragma once

#include "ladder/observe.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace checker::detail {

/// An array of so many elements goes in or comes out.
void note_size(std::size_t n);
void note_shape(std::size_t rows, std::size_t cols);

/// These go in. What is none of the three types is noted as an array only.
void note_values(const float *values, std::size_t n);
void note_values(const int *values, std::size_t n);
void note_values(const unsigned *values, std::size_t n);
inline void note_values(const void *, std::size_t n) { note_size(n); }

/// The checker itself launches a kernel. (Told by the judge; on a GPU nobody asks.)
/// @param threads  of a block
void note_launch(const char *kernel, unsigned threads, unsigned long long blocks);

/// So many streams go in.
void note_streams(std::size_t n);

/// Launches have been observed, of what was noted since the last ones.
void note_observed(const emu::Observation &seen);

/// The last launch that was observed.
struct LaunchShape {
  std::size_t threads = 0, blocks = 0; ///< of a block; of the grid
  std::size_t cols = 0, rows = 0; ///< of a block's threads, in x and in y
};
LaunchShape last_launch();
/// Elements of the largest array that went into the last observation.
std::size_t largest_input();

/// The arrays of numbers that have gone in since the launch before that one, but for very large ones.
const std::vector<std::vector<long double>> &last_inputs();

/// Tells the tutor which inputs there were, and which there could have been and were not.
void send_inputs();

} // namespace checker::detail
