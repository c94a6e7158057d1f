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

/// What its checker says besides, and what that includes: the diagnoses in calls of the checker library.
std::set<std::string> checker_diagnoses(const Exercise &exercise);
/// Those of the checker's own file.
std::set<std::string> own_diagnoses(const Exercise &exercise);

} // namespace tutor
