/// @file
/// What a wrong result looks like: mistakes that can be told from the numbers alone, whatever the exercise is.
#pragma once

#include "common/compare.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace checker::detail {

/// One list of numbers as it is and as it should be; they differ somewhere.
struct Mismatch {
  std::vector<long double> got, expected; ///< of the same length
  std::vector<bool> unwritten; ///< elements of `got` that hold what lab::poison() left there
  lab::Tolerance tolerance;
  std::size_t width; ///< of its rows; 0: it is no matrix
};

/// For the types that lab::compare() is for.
template <class T>
Mismatch mismatch_of(const std::vector<T> &got,
                     const std::vector<T> &expected,
                     lab::Tolerance tolerance,
                     std::size_t width);

/// Offers, as diagnose() does, what the lists have the looks of: written as far as the first block reaches, each
/// element its neighbour's, the matrix turned …
void explain(const std::string &what, const Mismatch &mismatch);

/// The same for one number that is an extreme of an input, or the sum of its numbers or their squares: which one came out,
/// how much was added.
void explain_number(const std::string &what,
                    long double got,
                    long double expected,
                    lab::Tolerance tolerance);

} // namespace checker::detail
