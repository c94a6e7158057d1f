#pragma once

#include "base/course.hpp"
#include "base/failure.hpp"
#include "base/paths.hpp"

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// \file
/// The command `observe`: a program under the emulator's instruments.

namespace tutor::commands {

/// What `observe` was asked for.
struct ObserveRequest {
  std::vector<std::string> target; ///< a chapter, an exercise, or CUDA files with nvcc's options
  std::vector<std::string> arguments; ///< for the program
  std::string json, html, svg, timeline; ///< files to write, or empty
  std::string device; ///< that times are predicted for, or empty
  std::string picture; ///< FILE:LINE to draw, or empty
  bool legend = false; ///< what the report's words mean, again
  int schedules = 1; ///< orders of the threads to try
  int blocks = 0; ///< to count in each launch; 0: the emulator's own choice

  bool operator==(const ObserveRequest &) const = default;
};

/// `observe CHAPTER|FILE.cu… [-- ARGS]`: builds a program to be observed, runs it, shows what was
/// counted and every hazard.
Exit observe(const Course &course, const ObserveRequest &request);

/// The same of an exercise, whose check observes it, or with times for a device.
Exit observe_in_full(const Course &course, const ObserveRequest &request);

/// What predicts the times of a program that is observed.
class Follower {
public:
  virtual ~Follower() = default;
  /// What the program's environment needs.
  virtual std::vector<std::string> variables() const = 0;
  /// For people, when it has run.
  virtual std::string text() const = 0;
  /// Adds "predicted" to each kernel of the report.
  virtual void add_predictions(nlohmann::ordered_json &report) const = 0;
};
/// Of the program that was built.
using FollowProgram = std::function<std::unique_ptr<Follower>(const fs::path &)>;

Exit observe_program(const Course &course,
                     const ObserveRequest &request,
                     const FollowProgram &follow);

} // namespace tutor::commands
