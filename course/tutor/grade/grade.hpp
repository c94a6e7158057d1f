#pragma once

#include "base/paths.hpp"
#include "exercises/check.hpp"
#include "exercises/class_file.hpp"
#include "grade/submissions.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

/// \file
/// From a class's submissions to grades.

namespace tutor::grading {

/// A case that a checker has.
struct Case {
  std::string name;
  bool hidden = false; ///< of the hidden checks: students are not told about it
};

/// What a grade was made from and with: whoever has the same gets the same. Files are given by their
/// SHA-256.
struct Receipt {
  std::string submission; ///< empty: there was none
  std::string stub;
  std::string checker;
  std::string extra_check; ///< empty: none
  std::string compiler; ///< as it names itself
  std::string course; ///< all that this build links to a submission, its checker included
  std::string commit; ///< of the course; empty where there is no git
  std::string backend;
  std::uint64_t seed = 0;

  /// A hash of all of it: two grades with the same key are the same grade.
  std::string key() const;
};

/// One exercise, as the class is asked it.
struct Assigned {
  Exercise exercise;
  fs::path extra_check; ///< the hidden one; empty: none
  std::vector<Case> cases; ///< as the solution ran them; empty: there is no solution to ask
  std::set<std::string> stub_passes{}; ///< the cases that pass before anybody has written a line
  std::map<std::string, double> weights{}; ///< of cases; 1 for those not named
  Receipt receipt{}; ///< of all its grades, but for the submission and the seed
};

/// One exercise of one student, graded.
struct Grade {
  std::string student;
  std::size_t exercise = 0; ///< in Report::exercises
  fs::path file; ///< seen from the class's folder; empty: nothing was handed in
  Result result;
  double points = 0;
  double earned = 0; ///< by the checks alone, before lateness and exceptions
  std::string note; ///< why that is not the same; which of several attempts
  Moment handed_in{};
  bool by_file = true; ///< handed_in is the file's own date, which a student can choose
  Receipt receipt;
  bool from_before = false; ///< taken from the journal
};

/// All of it.
struct Report {
  fs::path folder;
  std::uint64_t seed = 0; ///< the one that students' seeds are derived from
  std::string walls; ///< between submissions and this machine
  ClassFile rules;
  std::vector<Assigned> exercises;
  std::vector<std::string> students;
  std::vector<Grade> grades; ///< each student's, in the order of the exercises
  std::vector<std::string> notes; ///< one line each
  std::size_t total = 0; ///< grades there would be if nobody had stopped it
  double seconds = 0;

  bool complete() const { return grades.size() == total; }
  /// A student's points over all exercises, and how many there are to get.
  double points_of(const std::string &student) const;
  double most_points() const;
};

/// The seed of one student: derived from the class's and the name, below 2^31.
std::uint64_t seed_of(std::uint64_t class_seed, const std::string &student);

/// How the grader checks: check() with its options, or, in tests, anything.
using Check = std::function<Result(const Assigned &, const fs::path &file, std::uint64_t seed)>;

/// Grades kept from an earlier run, and where new ones are kept; see journal.hpp.
class Journal;

/// Grades what is in `all`, with several at a time.
/// \param report   has the exercises and the seed; gets the grades
/// \param stop     when it is asked to stop, what has not begun is left out
/// \param on_grade called, by one thread at a time, after each grade
void grade(Report &report,
           const Class &all,
           const Check &check,
           Journal &journal,
           int jobs,
           std::stop_token stop,
           const std::function<void(const Grade &)> &on_grade);

} // namespace tutor::grading
