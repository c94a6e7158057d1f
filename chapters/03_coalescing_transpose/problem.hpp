/// @file
/// The chapter's problem: a matrix of floats, stored row by row, is to be turned over its diagonal.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using std::size_t;

/// A matrix, its transpose as the host makes it, and the device memory the steps need.
///
/// Input and output lie between canaries, so that a kernel that writes outside is found out.
struct Matrix {
  explicit Matrix(const lab::Case &c);

  void prepare(); ///< poisons the output
  lab::Verdict check(); ///< is the output the transpose?
  size_t elements() const { return rows * cols; }

  size_t rows, cols; // of the input; the output has cols rows of `rows` elements
  std::vector<float> h_in;
  std::vector<float> expected; // from two plain loops

  lab::GuardedBuffer<float> d_in, d_out; // both start at a multiple of 256 bytes
};

/// For steps that copy: is the output the input?
lab::Verdict check_copy(Matrix &p);

/// out[col][row] = in[row][col], one element after the other.
std::vector<float> transposed(const std::vector<float> &in, size_t rows, size_t cols);

/// a / b, rounded up.
constexpr size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

/// Blocks that cover n elements with one thread each; one block at least.
constexpr unsigned blocks_for(size_t n, size_t block) {
  return static_cast<unsigned>(ceil_div(n > 0 ? n : 1, block));
}

#ifdef BF_HAVE_CUBLAS // which comes with the CUDA toolkit: the emulator does not have it
void run_cublas(Matrix &p); ///< the vendor's transpose
void start_cublas(Matrix &p); ///< makes the library's handle, outside the timed region
#endif

/// Adds the mistakes to the ladder.
void register_traps(lab::Ladder<Matrix> &ladder);
