#pragma once

#include "base/paths.hpp"
#include "exercises/check.hpp"

#include <string>

/// \file
/// The running half of a check: the learner's process, the judge, and what their ends mean.

namespace tutor {

/// What build_programs() has linked with one checker.
struct CheckPrograms {
  fs::path learner;
  fs::path judge; ///< empty: the learner's program holds the checker (on a GPU)
  fs::path work; ///< their working folder
  std::string own_numbers = {}; ///< see own_numbers.hpp
};

/// Runs the cases.
/// \param[out] result  gets verdict, diagnosis, message, places, cases, counters and log
/// \throws Failure (failed) when a program cannot be started or the judge crashes
void run_cases(const Exercise &exercise,
               const CheckPrograms &programs,
               const CheckOptions &options,
               Result &result);

/// The environment and the limits of a learner's program.
std::vector<std::string> program_environment(const CheckOptions &options);
Limits limits_for(const CheckOptions &options);

} // namespace tutor
