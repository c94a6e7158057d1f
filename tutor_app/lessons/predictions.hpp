#pragma once

#include "lessons/json_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// @file
/// What the time model said of steps that were measured: docs/results/DEVICE_predictions.json beside
/// DEVICE_CHAPTER.json and DEVICE_reasons.json. All functions throw LessonError.

namespace tutor::lessons {

/// A measured step, and what was predicted of it.
struct PredictedStep {
  std::string chapter, run, step; ///< run: "n = 4096, cold L2"
  bool published = false; ///< measured by others, on another device
  bool blind =
      false; ///< of no chapter, but of a set of kernels that were predicted before they were timed
  double measured_ms = 0;
  std::optional<double> predicted_ms;
  std::string refused; ///< why there is no prediction
  std::string binds; ///< as people read it
  std::string
      recorded; ///< what ncu saw of this step at this size: its longest wait, its busiest unit; may be empty
  bool agrees = false; ///< what binds is what ncu saw

  double factor() const { return *predicted_ms / measured_ms; }
};

/// Those of all chapters, in the order in which they were measured.
/// \param file  docs/results/DEVICE_predictions.json
std::vector<PredictedStep> predicted_steps(const std::filesystem::path &file);

/// Kernels that are not in the course, from DEVICE_blind.json beside the file; none if there is none.
std::vector<PredictedStep> blind_steps(const std::filesystem::path &file);

/// The band that the tutor prints: from a time divided by this to a time multiplied by it.
double printed_band(const std::filesystem::path &file);

/// Constants of the model were fitted to these chapters.
bool is_fitted(const std::string &chapter);

/// How far predictions are off. Factors are above 1, whichever is larger.
struct Errors {
  std::size_t steps = 0, refused = 0;
  std::size_t pairs = 0; ///< of one run, whose measured times differ by more than 10 %
  std::size_t in_order = 0; ///< of these
  double median = 1,
         tenth = 1; ///< half of the steps are within the one, nine in ten within the other
  std::size_t inside = 0; ///< the band
  std::size_t seen = 0,
              agree = 0; ///< steps that ncu recorded; those where what binds is what it saw
};
Errors errors_of(const std::vector<PredictedStep> &steps, double band);

/// A row for each chapter, one for those fitted, one for all others, one for what others published, and one for
/// each blind set.
/// \param file  docs/results/DEVICE_predictions.json
std::string errors_table(const std::filesystem::path &file);

/// A row for each step.
std::string predictions_table(const std::vector<PredictedStep> &steps);

/// What was predicted of a step, which a recorded run has; nothing where there is no such prediction.
/// \param results  DEVICE_CHAPTER.json, beside which DEVICE_predictions.json may lie
std::optional<double>
predicted_ms(const std::filesystem::path &results, const Json &run, const std::string &step);

} // namespace tutor::lessons
