#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The numbers that an answer's own code names: a threshold, the size of an array, what stands for "not there". A checker
/// tries sizes beside them, and puts them among its values (course/grading/checker/nasty.hpp).

namespace tutor {

constexpr std::size_t most_own_numbers = 32;

/// The numbers of `source` that `stub` does not have, sorted, each once; the first so many that stand there. A product of
/// two (64 * 1024), or one that is shifted (1 << 20), counts as well as its parts; `char`, `short` and macros like INT_MAX
/// stand for the ends that they have.
std::vector<double> own_numbers(std::string_view source, std::string_view stub);

/// The same as a checker is told them: "0.5 4000".
std::string own_numbers_text(std::string_view source, std::string_view stub);

} // namespace tutor
