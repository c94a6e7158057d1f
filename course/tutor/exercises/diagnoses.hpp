#pragma once

#include "base/text.hpp"
#include "exercises/exercise.hpp"

/// \file
/// The words that a check may end with.

namespace tutor {

/// What the tutor, the checker library and the instruments say of any exercise: crash, wrong_result,
/// shared_race …
const Names &common_diagnoses();

/// What its checker says besides, and what that includes: the diagnoses in calls of the checker library.
Names checker_diagnoses(const Exercise &exercise);
/// Those of the checker's own file.
Names own_diagnoses(const Exercise &exercise);

} // namespace tutor
