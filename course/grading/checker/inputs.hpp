/// @file
/// What goes into a run of a checker, noted as it goes: the inputs at which answers break are either
/// among it, or the exercise's card says under [left_out] why not. ./tutor author --prove holds it to that.
#pragma once

#include "ladder/observe.hpp"

#include <cstddef>
#include <string>

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

/// Tells the tutor which inputs there were, and which there could have been and were not.
void send_inputs();

} // namespace checker::detail
