#include "base/build.hpp"
#include "commands/learner.hpp"
#include "exercises/check.hpp"
#include "loop/editor.hpp"
#include "loop/loop.hpp"
#include "loop/run.hpp"
#include "loop/state.hpp"
#include "loop/tty.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace tutor::commands {
namespace {

/// What a bare tutor says where nobody can press keys.
void print_next_step(const std::vector<Exercise> &exercises, const Workspace &workspace) {
  if (exercises.empty()) {
    return;
  }
  const LearnerState state = StateFile(workspace.folder()).load();
  const auto next = std::ranges::find_if(
      exercises, [&](const Exercise &exercise) { return !state.of(exercise.id()).passed; });
  if (next == exercises.end()) {
    fmt::print("\nAll {} exercises have passed.\n", exercises.size());
    return;
  }
  fmt::print("\nNext: {0} {1}. Read: ./tutor lesson {0}; edit {2}, then: ./tutor check {0}\n",
             next->short_id(),
             next->card.title,
             typed_path(workspace.file(*next)));
}

} // namespace

Exit learn(const Course &course, const LearnerRequest &request) {
  const std::vector<Exercise> exercises = exercises_of(course);
  const Workspace workspace = Workspace::of(course, request.workspace);
  if (!Tty::usable() || exercises.empty()) {
    if (request.help.empty()) {
      throw wrong_usage("{}",
                        exercises.empty() ? "this course has no exercises"
                                          : "learn needs a terminal; without one: ./tutor check "
                                            "ID, and with --task what is asked");
    }
    fmt::print("{}", request.help);
    print_next_step(exercises, workspace);
    return Exit::ok;
  }
  const std::string id =
      request.exercise.empty() ? "" : find_exercise(exercises, request.exercise).id();
  StateFile state(workspace.folder());
  const std::size_t first = where_to_begin(exercises, state.load(), id);
  CheckOptions options;
  options.backend = choose_backend(request.backend);
  prepare_checks({exercises[first]}, options); // the others can wait
  write_compile_commands(course, exercises, workspace);
  const int signal = run_loop(exercises, workspace, options.backend, id, state.notice());
  if (signal != 0) { // whoever sent it shall see that it was heeded
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  return Exit::ok;
}

} // namespace tutor::commands
