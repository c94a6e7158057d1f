#include "base/files.hpp"
#include "commands/learner.hpp"
#include "loop/hints.hpp"
#include "loop/screens.hpp"
#include "loop/state.hpp"

namespace tutor::commands {

Exit diff(const Course &course, const LearnerRequest &request) {
  const std::vector<Exercise> exercises = exercises_of(course);
  const Exercise &exercise = find_exercise(exercises, request.exercise);
  const Workspace workspace = Workspace::of(course, request.workspace);
  const bool passed = StateFile(workspace.folder()).load().of(exercise.id()).passed;
  if (!passed && !request.spoil) {
    throw failure("{0} has not passed yet: ./tutor check {0} finds out whether it does, and "
                  "./tutor diff {0} --spoil shows the solution anyway",
                  exercise.short_id());
  }
  const fs::path mine = workspace.file(exercise);
  const std::string text = read_file(fs::exists(mine) ? mine : exercise.stub);
  print_lines(compare_lines(compare_with_solution(exercise, text),
                            std::min<std::size_t>(print_columns(), 88)));
  return Exit::ok;
}

} // namespace tutor::commands
