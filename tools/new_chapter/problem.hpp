/// @file
/// The work of this chapter: twice each of n numbers.
#pragma once

#include "ladder/chapter.hpp"

#include <vector>

/// n numbers, what the host makes of them, and room for the kernels' answers.
struct Problem {
  unsigned n;
  int block = 256; // threads per block
  lab::DeviceBuffer<float> in, out;
  std::vector<float> expected;

  explicit Problem(const lab::Case &c);

  /// Poisons the answers, so that none of an earlier kernel can pass for one of this kernel.
  void prepare() { lab::poison(out.data(), out.size()); }

  lab::Verdict check();
};
