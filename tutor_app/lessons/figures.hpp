#pragma once

#include "markers.hpp"

#include <string>
#include <vector>

/// @file
/// Figures in a lesson's own words: "9.7 ms", "55 GB/s", "12 %", "2.5 times".
///
/// A figure is proven where the lesson itself shows it. It stands in a generated block or value, to that
/// precision or a better one; or it is the outcome of arithmetic that the sentence shows and that is
/// right ("268 MB / 55 GB/s = 4.9 ms"); or a note says whose it is:
///
///     <!-- note: figures of the data sheet: 4.8 TB/s, 57.6 GB/s -->

namespace tutor::lessons {

/// A figure that nothing proves, or arithmetic that does not come out.
struct Unproven {
  std::size_t position; ///< in the lesson's text
  std::string message;
};

/// `prose` is the lesson with everything blanked out that is not the author's or a value's.
std::vector<Unproven> unproven_figures(const std::string &text,
                                       const std::string &prose,
                                       const std::vector<Block> &blocks);

} // namespace tutor::lessons
