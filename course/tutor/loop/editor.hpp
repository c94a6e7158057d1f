#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"
#include "exercises/exercise.hpp"
#include "exercises/workspace.hpp"

#include <vector>

namespace tutor {

/// Writes compile_commands.json at the top of the course (of the learner's own folder, where the course is
/// installed for a class), and in a workspace that lies elsewhere, so that clangd reads CUDA files against the
/// emulator's headers. Only where something is new. Returns the file at the top.
fs::path write_compile_commands(const Course &course,
                                const std::vector<Exercise> &exercises,
                                const Workspace &workspace);

} // namespace tutor
