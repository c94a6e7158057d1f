#pragma once

#include "base/course.hpp"
#include "base/failure.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// \file
/// The command `observe`: a program under the emulator's instruments.

namespace tutor::commands {

/// What `observe` was asked for.
struct ObserveRequest {
  std::string
      target; ///< a chapter, a .cu file anywhere on the disk, or an exercise: its check observes
  std::vector<std::string> arguments; ///< for the program
  std::vector<std::filesystem::path> include_dirs; ///< for a .cu file
  std::string json; ///< file to write, or empty
  std::string html; ///< file for a page about the run, or empty
  std::string device; ///< that times are predicted for, or empty
  std::string picture; ///< FILE:LINE to draw, or empty
  std::string svg; ///< file for the picture, or empty
  int schedules = 1; ///< orders of the threads to try
  int blocks = 0; ///< to count in each launch; 0: the emulator's own choice

  bool operator==(const ObserveRequest &) const = default;
};

/// `observe CHAPTER|FILE.cu [-- ARGS]`: builds a program to be observed, runs it, shows what was
/// counted and every hazard.
Exit observe(const Course &course, const ObserveRequest &request);

} // namespace tutor::commands
