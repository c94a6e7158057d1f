#pragma once

#include "base/build.hpp"
#include "exercises/exercise.hpp"
#include "exercises/workspace.hpp"

#include <string>
#include <vector>

namespace tutor {

/// The loop on this terminal, until the learner quits. Begins at the exercise of that id, or where the
/// learner was; with a notice, if there is one.
/// \returns the signal that ended it, or 0; the terminal is as it was before
int run_loop(const std::vector<Exercise> &exercises,
             const Workspace &workspace,
             Backend backend,
             const std::string &id,
             const std::string &notice);

} // namespace tutor
