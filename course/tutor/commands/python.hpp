#pragma once

#include "base/course.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"

/// \file
/// The tools for authors in course/tutor/lessons and course/tutor/site are Python; learners need none.

namespace tutor::commands {

/// What runs a program of course/tutor; nothing is written beside it.
/// \throws Failure (environment) where there is no Python
inline Command python(const Course &course, const std::string &program) {
  require_program("python3", "python3");
  return {"python3", "-B", (course.root() / "course/tutor" / program).string()};
}

} // namespace tutor::commands
