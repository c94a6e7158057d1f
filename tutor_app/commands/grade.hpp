#pragma once

#include "course.hpp"
#include "failure.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutor::commands {

/// What `grade` is told.
struct GradeRequest {
  std::string folder; ///< with a folder for each student
  std::string out;
  std::optional<std::string> format;
  std::optional<std::string> extra_checks;
  std::optional<std::string> backend; ///< none: the emulator
  std::vector<std::string> exercises; ///< none: those that somebody handed in
  std::optional<std::uint64_t> seed; ///< none: drawn by the first run, and stored beside the report
  int jobs = 0; ///< 0: as many as there are processors
  bool fresh = false; ///< forget what an earlier run has graded
  std::vector<std::string> regrade; ///< students and exercises to grade anew
  std::optional<std::string> shard; ///< "2/4": the second of four parts of the class
  bool merge = false; ///< take over what the parts' journals have
};

/// `grade DIR --out FILE`: grades a class. Exit 0 when everything was graded, whatever the grades; 1
/// when it was stopped or something could not be checked: the same command goes on then.
Exit grade(const Course &course, const GradeRequest &request);

/// Adds `grade`; parsing sets `command` to what shall be done.
void add_grade_command(CLI::App &app, std::function<Exit(const Course &)> &command);

} // namespace tutor::commands
