#include "commands/learner.hpp"
#include "loop/hints.hpp"
#include "loop/screens.hpp"
#include "loop/state.hpp"

#include <fmt/format.h>

namespace tutor::commands {
namespace {

void print_hint(const GivenHint &hint) {
  const std::string when = hint.hint->when.empty() ? "" : fmt::format(", for {}", hint.hint->when);
  print_lines({Line(fmt::format("Hint {} of {}{}", hint.level, hint.of, when), Style::bold)});
  print_lines(paragraph(reflow(hint.hint->text), std::min<std::size_t>(print_columns(), 88), 2));
}

} // namespace

Exit hint(const Course &course, const LearnerRequest &request) {
  const std::vector<Exercise> exercises = exercises_of(course);
  const Exercise &exercise = find_exercise(exercises, request.exercise);
  StateFile file(Workspace::of(course, request.workspace).folder());
  ExerciseState state = file.load().of(exercise.id());
  if (!file.notice().empty()) {
    fmt::print(stderr, "tutor: {}\n", file.notice());
  }

  const std::optional<GivenHint> next = next_hint(exercise.card, state);
  if (next && request.all) {
    for (const std::size_t place : hint_order(exercise.card, state.diagnosis)) {
      state.hints.insert(place);
    }
  } else if (next) {
    state.hints.insert(next->place);
    print_hint(*next);
  }
  if (next) {
    file.change([&](LearnerState &all) { all.exercises[exercise.id()].hints = state.hints; });
  }
  if (request.all || !next) {
    const std::vector<GivenHint> shown = shown_hints(exercise.card, state);
    for (const GivenHint &each : shown) {
      print_hint(each);
    }
    fmt::print("{} The course's solution: ./tutor diff {} --spoil\n",
               shown.empty() ? "There is no hint." : "These are all hints.",
               exercise.short_id());
  }
  return Exit::ok;
}

} // namespace tutor::commands
