#pragma once

#include "base/text.hpp"
#include "exercises/exercise.hpp"

/// \file
/// The words that a check may end with.

namespace tutor {

/// What the tutor, the checker library and the instruments say of any exercise: crash, wrong_result,
/// shared_race …
const Names &common_diagnoses();

/// Of these, what is told of a wrong_result where the numbers show more (course/grading/checker/mismatch.cpp): a hint for
/// wrong_result is one for each of them.
const Names &mismatch_diagnoses();

/// What its checker says besides, and what that includes: the diagnoses in calls of the checker library.
Names checker_diagnoses(const Exercise &exercise);
/// Those of the checker's own file.
Names own_diagnoses(const Exercise &exercise);

} // namespace tutor
