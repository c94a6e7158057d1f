#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"
#include "grade/grade.hpp"

#include <vector>

/// \file
/// The course's own solutions, checked as a submission is: they tell which cases there are, and that
/// the hidden checks ask for what can be done.

namespace tutor::grading {

/// Puts the hidden checks of a folder, CHAPTER/NAME.extra.cu, to their exercises.
/// \throws Failure (usage) when the folder is not there, holds none, or one that belongs to no
///         exercise of the course
void add_extra_checks(std::vector<Assigned> &assigned,
                      const Course &course,
                      const fs::path &folder);

/// The options to check one exercise with: those of all, and its hidden checks.
CheckOptions options_for(const Assigned &assigned, const CheckOptions &options);

/// Checks the stub, and notes the cases that it passes; then the solution, without and with the
/// hidden checks, and notes the cases that ran. An exercise without a solution has none to note.
/// \throws Failure (failed) when the solution does not pass: whoever it is graded with would be
///         graded wrongly
void learn_cases(Assigned &assigned, const CheckOptions &options);

} // namespace tutor::grading
