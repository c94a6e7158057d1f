#include "commands/learner.hpp"
#include "loop/state.hpp"

#include <fmt/format.h>

namespace tutor::commands {

Exit reset(const Course &course, const LearnerRequest &request) {
  const std::vector<Exercise> exercises = exercises_of(course);
  const Exercise &exercise = find_exercise(exercises, request.exercise);
  const Workspace workspace = Workspace::of(course, request.workspace);
  const std::optional<fs::path> backup = workspace.reset(exercise);
  StateFile(workspace.folder()).change([&](LearnerState &state) {
    state.exercises.erase(exercise.id());
  });
  fmt::print("{} is the stub again; {}\n",
             typed_path(workspace.file(exercise)),
             backup ? "what you had is in " + typed_path(*backup)
                    : "there was nothing of yours in it");
  return Exit::ok;
}

} // namespace tutor::commands
