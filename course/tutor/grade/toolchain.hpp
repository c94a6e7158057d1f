#pragma once

#include "base/build.hpp"
#include "base/course.hpp"
#include "base/paths.hpp"
#include "grade/grade.hpp"

#include <vector>

/// \file
/// What submissions are built and checked with.

namespace tutor::grading {

/// The parts of a receipt that all grades of one run share.
class Toolchain {
public:
  /// Reads and hashes what prepare_checks() has built.
  Toolchain(const Course &course, Backend backend);

  /// The receipt of one exercise, which lacks the submission and the seed.
  /// \throws Failure (failed) when its checker is not built
  Receipt receipt_for(const Assigned &assigned) const;

private:
  fs::path root_;
  Backend backend_;
  Receipt common_;
};

/// What compilers have to read besides the files that their commands name.
std::vector<fs::path> headers_for(const Course &course, Backend backend);

} // namespace tutor::grading
