/// \file
/// What the rewriter does to a source, one thing after the other: each pass adds its edits.
#pragma once

#include "code.hpp"
#include "edits.hpp"
#include "rewrite.hpp"
#include "structure.hpp"

namespace rewriter {

struct Unit {
  const Code &code;
  const Structure &structure;
  const Options &options;
  Edits &edits;
  Result &result;

  void refuse(size_t i, const std::string &what) const {
    result.refusals.push_back({code.file(i), code[i].line, what});
  }
  void warn(size_t i, const std::string &what) const {
    result.warnings.push_back({code.file(i), code[i].line, what});
  }
};

/// Kernels become functions that launch themselves; `k<<<g, b>>>(a)` says how and calls `k(a)`.
void rewrite_kernels(const Unit &unit);

/// `__shared__` variables become references into the block's memory.
void rewrite_shared(const Unit &unit);

/// Loops of device functions that use `volatile` let other threads run, for whom they may wait.
void rewrite_waits(const Unit &unit);

/// Keywords go; variables for devices are made known; instructions of PTX become C++.
void rewrite_words(const Unit &unit);

/// Host and device kept apart: what nvcc refuses is refused, or marked for the compiler to refuse.
void check_sides(const Unit &unit);

} // namespace rewriter
