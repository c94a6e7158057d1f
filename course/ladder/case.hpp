/// @file
/// The size of a problem.
#pragma once

#include "common/random.hpp"

#include <cstddef>
#include <cstdint>

namespace lab {

/// Rows and columns of a matrix.
struct Shape {
  std::size_t rows = 0;
  std::size_t cols = 0;
  bool square() const { return rows == cols; }
};

/// One size of a problem.
struct Case {
  std::size_t n = 0; ///< of a matrix: its edge; 0 when it is not square
  int block = 0; ///< threads per block; 0 where the chapter registers no block sizes
  std::uint64_t seed = default_seed;
  Shape shape = {n, n}; ///< for chapters about matrices
};

} // namespace lab
