#pragma once

#include "exercises/exercise.hpp"

#include <set>
#include <string>

/// \file
/// The words that a check may end with.

namespace tutor {

/// What the tutor, the checker library and the instruments say of any exercise: crash, wrong_result,
/// shared_race …
const std::set<std::string> &common_diagnoses();

/// What its checker says besides, and what that includes: the words in quotes that are no name of a
/// counter, a file or a part.
std::set<std::string> checker_diagnoses(const Exercise &exercise);

} // namespace tutor
