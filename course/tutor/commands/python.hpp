#pragma once

#include "base/course.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"

#include <nlohmann/json.hpp>

/// \file
/// The tools for authors in course/tutor/lessons and course/tutor/site are Python; learners need none.

namespace tutor::commands {

/// What runs a program of course/tutor; nothing is written beside it.
/// \throws Failure (environment) where there is no Python
inline Command python(const Course &course, const std::string &program) {
  require_program("python3", "python3");
  return {"python3", "-B", (course.root() / "course/tutor" / program).string()};
}

/// Writes JSON as it is committed: a record stands on a line.
/// \throws Failure (failed) where it cannot be written
inline void
write_records(const Course &course, const fs::path &file, const nlohmann::ordered_json &json) {
  write_result(file, json.dump());
  Command lay_out = python(course, "lessons/json_lines.py");
  lay_out.push_back(file.string());
  if (tutor::run(lay_out) != 0) {
    throw failure("cannot write {}", file);
  }
}

} // namespace tutor::commands
