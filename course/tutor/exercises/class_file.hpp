#pragma once

#include "base/paths.hpp"
#include "exercises/exercise.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// \file
/// What an instructor says of a class besides what it handed in: weights, dates, attempts, exceptions.
/// docs/instructors.md has an example.

namespace tutor {

using Moment = std::chrono::sys_seconds;

/// "2026-11-20T23:59:00+01:00", with a fraction of the second or without (RFC 3339); nothing for another text.
std::optional<Moment> moment_named(const std::string &text);

/// Which of several copies of a file counts.
enum class Attempts {
  in_place, ///< the one that lies as in a workspace, or nearest to the top
  last, ///< the one handed in last
  best, ///< the one with the most points, after what lateness costs
};

/// What being late costs: for each day begun after the due date a share of what was earned.
struct LatePolicy {
  double per_day = 0; ///< 0.1: a tenth
  double most = 1; ///< never more than this share
  std::chrono::seconds grace{0}; ///< so much later is in time
};

struct ExerciseRules {
  std::optional<double> points; ///< instead of the card's
  std::optional<Moment> due;
  std::map<std::string, double> weights; ///< of cases, by their names; 1 for those not named
};

/// A line of the exceptions.
struct ExceptionLine {
  std::optional<Moment> due, handed_in;
  std::optional<double> points; ///< whatever the check said
  std::string reason; ///< students read it
};

struct ClassFile {
  Attempts attempts = Attempts::in_place;
  LatePolicy late;
  std::optional<Moment> due; ///< of all exercises that have no date of their own
  std::map<std::string, ExerciseRules> exercises; ///< by Exercise::id(); those named are graded
  /// By student and Exercise::id(); an empty id: of all exercises.
  std::map<std::pair<std::string, std::string>, ExceptionLine> exceptions;
  /// When a platform says that something was handed in, by the same.
  std::map<std::pair<std::string, std::string>, Moment> times;
  std::string text; ///< of all these files; empty: there is none

  /// What counts for one student: the line for the exercise goes before the student's other line, and
  /// both before what is said of everybody.
  std::optional<Moment> due_of(const std::string &student, const std::string &exercise) const;
  /// Nothing: only the file itself has a date.
  std::optional<Moment> handed_in(const std::string &student, const std::string &exercise) const;
  /// The line that says how many points it is; null: none.
  const ExceptionLine *points_of(const std::string &student, const std::string &exercise) const;
};

/// Reads the file, and the CSVs with exceptions and times that it names.
/// \param known  the course's exercises
/// \throws Failure (failed) "FILE:LINE: what is wrong with it"
ClassFile read_class_file(const fs::path &file, const std::vector<Exercise> &known);

/// The cells of a CSV file (RFC 4180), one list for each line; a line that is empty has none.
/// \throws Failure (failed) when a quote is not closed
std::vector<std::vector<std::string>> read_csv(const fs::path &file);

} // namespace tutor
