#pragma once

#include "grade/credit.hpp"
#include "grade/journal.hpp"
#include "tutor/support.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

/// \file
/// Classes made for tests, and checks that answer without compiling anything.

namespace grade_test {

using namespace tutor;
using namespace tutor::grading;

inline void write(const fs::path &file, const std::string &text) { write_file(file, text); }

inline Exercise exercise(const std::string &name, int number, double points = 1) {
  Exercise one;
  one.chapter = "05_reduction";
  one.chapter_number = 5;
  one.name = name;
  one.card.title = "The title of " + name;
  one.card.number = number;
  one.card.points = points;
  return one;
}

inline Result result(Verdict verdict, const std::string &diagnosis = "") {
  Result one;
  one.verdict = verdict;
  one.diagnosis = diagnosis;
  one.message = diagnosis.empty() ? "" : "what went wrong";
  return one;
}

inline const std::vector<Exercise> two{exercise("block_sum", 1, 2), exercise("tail", 2)};

/// A report on one exercise with three cases, the last one hidden.
inline Report empty_report() {
  Report report;
  report.seed = 7;
  report.exercises = {{two[0], {}, {{"small", false}, {"large", false}, {"secret", true}}}};
  return report;
}

/// A check that reads its verdict in the file: "pass", "fail wrong_result" …
inline Result read_verdict(const Assigned &assigned, const fs::path &file, std::uint64_t seed) {
  std::ifstream stream(file);
  std::string verdict, diagnosis;
  stream >> verdict >> diagnosis;
  Result one = result(verdict_named(verdict).value(), diagnosis);
  one.id = assigned.exercise.id();
  one.seed = seed;
  bool first = true;
  for (const Case &asked : assigned.cases) {
    one.cases.push_back({asked.name, one.verdict == Verdict::pass || first, "as it should not be"});
    first = false;
  }
  return one;
}

/// The same, and counts.
inline Check counting(std::atomic<int> &checks, unsigned microseconds = 0) {
  return
      [&checks, microseconds](const Assigned &assigned, const fs::path &file, std::uint64_t seed) {
        ++checks;
        usleep(microseconds);
        return read_verdict(assigned, file, seed);
      };
}

inline void grade_class(
    Report &report,
    const Class &all,
    Journal &journal,
    const Check &check = read_verdict,
    int jobs = 2,
    std::stop_token stop = {},
    const std::function<void(const Grade &)> &on_grade = [](const Grade &) {}) {
  grading::grade(report, all, check, journal, jobs, std::move(stop), on_grade);
}

/// Files can grow by no byte meanwhile: what is written fails as on a full disk.
template <class Work> void on_a_full_disk(const Work &work) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{64, before.rlim_max}; // bytes
  const auto signals = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  work();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signals);
}

/// Ends the program so that CTest calls its test skipped (SKIP_RETURN_CODE in tests.cmake) where this
/// machine lacks what the test is about. It is the first thing in a case: nothing was tried yet.
inline void needs(bool here, const char *otherwise) {
  if (!here) {
    std::printf("skipped: %s\n", otherwise);
    std::exit(77);
  }
}

} // namespace grade_test
