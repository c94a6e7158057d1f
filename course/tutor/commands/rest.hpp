#pragma once

#include "base/build.hpp"

#include <string>
#include <vector>

/// \file
/// The tutor is two programs with one command line. `tutor` is small, and all that a first run waits for: it runs, observes
/// and compares chapters. `tutor_whole` has every command; what the small one lacks (rest.cpp) it hands over.

namespace tutor::commands {

/// Whether times of chapters can be predicted without building anything first.
bool time_model_is_built(const Build &build);

/// What this process was started with: what is handed over.
inline std::vector<std::string> words_of_this_run;

} // namespace tutor::commands
