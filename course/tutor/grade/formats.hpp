#pragma once

#include "base/paths.hpp"
#include "grade/grade.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

/// \file
/// A report in the forms that others read.

namespace tutor::grading {

enum class Format {
  json, ///< everything
  csv, ///< one line for each student, four columns for each exercise
  junit, ///< JUnit's XML: a test suite for each student and exercise
  gradescope, ///< results.json of Gradescope's autograders: a file for each student
};

/// The format of that name, or the one that the file's ending suggests (.csv, .xml), else JSON.
/// \throws Failure (usage) for an unknown name
Format format_for(const std::optional<std::string> &name, const fs::path &out);

std::string to_json(const Report &report);
std::string to_csv(const Report &report);
std::string to_junit(const Report &report);
/// What one student may see: nothing of hidden cases but the points they cost.
std::string to_gradescope(const Report &report, const std::string &student);

/// Writes the report: one file, or, for Gradescope and a class of several, a folder with a file for
/// each student. Returns what was written, for people.
/// \throws Failure (failed) when it cannot be written
std::string write(const Report &report, Format format, const fs::path &out);

/// For files: another name for each student, without what file systems would stumble over.
class FileNames {
public:
  std::string name_for(const std::string &student);

private:
  std::set<std::string> taken_;
};

/// Writes what students have added to the stubs, for programs that look for copies:
/// OUT/05_reduction.block_sum/STUDENT/block_sum.cu. Lines of the stub are empty there, so that the others
/// keep their numbers. Returns what was written, for people.
/// \throws Failure (failed) when it cannot be written
std::string export_own_lines(const Class &all, const fs::path &out);

/// A command that gives this grade's verdict again; empty where nothing was handed in.
std::string replay_command(const Report &report, const Grade &grade);

/// Each case that was asked, with what became of it: what did not run failed.
struct CaseOutcome {
  std::string name;
  bool hidden = false;
  bool passed = false;
  std::string message;
};
std::vector<CaseOutcome> outcomes(const Grade &grade, const Assigned &assigned);

/// The same for those who may not know the hidden checks: neither their names nor what they found.
std::vector<CaseOutcome> shown_outcomes(const Grade &grade, const Assigned &assigned);
inline const std::string hidden_message = "A check that is not shown did not pass.";
inline const std::string hidden_diagnosis = "hidden_check";
/// The whole of an exercise for them. How it went wrong, what it printed and how long it took could tell what a hidden
/// check has handed in.
Result shown_result(Result result);

} // namespace tutor::grading
