#pragma once

#include "base/course.hpp"
#include "base/failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutor {
struct CheckOptions;
} // namespace tutor

namespace tutor::commands {

/// What `grade` is told, as its options say.
struct GradeRequest {
  std::string folder; ///< with a folder for each student
  std::string out;
  std::optional<std::string> format, class_file, extra_checks, backend;
  std::optional<std::string>
      own_lines; ///< a folder: only write there what students wrote themselves
  bool one_process =
      false; ///< with the GPU: although the checker shares a process with what it judges
  std::vector<std::string> exercises; ///< none: those that somebody handed in
  std::optional<std::uint64_t> seed; ///< none: drawn by the first run, and stored beside the report
  int jobs = 0; ///< 0: as many as there are processors
  bool fresh = false; ///< forget what an earlier run has graded
  std::vector<std::string> regrade; ///< students and exercises to grade anew
  std::optional<std::string> shard; ///< "2/4": the second of four parts of the class
  bool merge = false; ///< take over what the parts' journals have
};

/// Walls around compilers and programs, or, for programs on a GPU, which need its driver, none. What is
/// open is printed. Returns what stands, for reports.
std::string put_up_walls(CheckOptions &options, const Course &course);

/// `grade DIR --out FILE`: grades a class. Exit 0 when everything was graded, whatever the grades; 1
/// when it was stopped or something could not be checked: the same command goes on then.
Exit grade(const Course &course, const GradeRequest &request);

} // namespace tutor::commands
