#include "loop/editor.hpp"
#include "commands/learner.hpp"

#include <fmt/format.h>

namespace tutor::commands {

Exit editor(const Course &course, const LearnerRequest &request) {
  const fs::path file = write_compile_commands(
      course, exercises_of(course), Workspace::of(course, request.workspace));
  fmt::print("{} tells clangd how the course's CUDA files are compiled. VS Code: open its folder, "
             "and install the extension clangd.\n",
             typed_path(file));
  return Exit::ok;
}

} // namespace tutor::commands
