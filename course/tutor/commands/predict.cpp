#include "commands/commands.hpp"
#include "commands/learner.hpp"
#include "loop/hints.hpp"
#include "loop/screens.hpp"
#include "loop/state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

namespace tutor::commands {
namespace {

/// The exercise asked for, or the first with something to guess.
const Exercise &
choose(const std::vector<Exercise> &exercises, const LearnerState &state, const std::string &word) {
  if (!word.empty()) {
    return find_exercise(exercises, word);
  }
  for (const Exercise &exercise : exercises) {
    const ExerciseState &its = state.of(exercise.id());
    if (its.passed && !open_predictions(exercise.card, its).empty()) {
      return exercise;
    }
  }
  throw failure("there is nothing to guess: pass an exercise that asks for a guess first");
}

void print_score(const LearnerState &state) {
  GuessScore all;
  for (const auto &[id, its] : state.exercises) {
    all.made += its.score().made;
    all.right += its.score().right;
  }
  fmt::print("Your guesses: {} of {} right.\n", all.right, all.made);
}

/// The guess given on the command line, or typed now.
std::string ask(const LearnerRequest &request, const std::string &what) {
  if (request.guess) {
    return *request.guess;
  }
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    throw wrong_usage("here you cannot be asked; say ./tutor predict {} --guess NUMBER", what);
  }
  fmt::print("Your guess: ");
  std::fflush(stdout);
  std::string typed;
  std::getline(std::cin, typed);
  return typed;
}

} // namespace

double ask_for_number(const LearnerRequest &request, const std::string &what) {
  const std::string typed = ask(request, what);
  const std::optional<double> guessed = parse_guess(typed);
  if (!guessed) {
    throw wrong_usage("'{}' is no number such as 4, 0.5 or 1/32", typed);
  }
  return *guessed;
}

Exit predict(const Course &course, const LearnerRequest &request) {
  if (!request.step.empty()) {
    for (const Exercise &exercise : exercises_of(course)) {
      if (exercise.is_meant_by(request.exercise)) {
        throw wrong_usage("{0} is an exercise, and has no steps; a guess is told by --guess: "
                          "./tutor predict {0} --guess {1}",
                          exercise.short_id(),
                          parse_guess(request.step) ? request.step : "NUMBER");
      }
    }
    return predict_step(course, request);
  }
  if (const Chapter *chapter =
          request.exercise.empty() ? nullptr : course.named(request.exercise)) {
    ChapterRequest times;
    times.device = request.device;
    return predict_times(course, *chapter, times);
  }
  const std::vector<Exercise> exercises = exercises_of(course);
  StateFile file(Workspace::of(course, request.workspace).folder());
  const LearnerState state = file.load();
  const Exercise &exercise = choose(exercises, state, request.exercise);
  const ExerciseState &its = state.of(exercise.id());
  const std::vector<const Prediction *> open = open_predictions(exercise.card, its);
  if (exercise.card.predictions.empty() || open.empty()) {
    fmt::print("{} has nothing {}to guess.\n",
               exercise.short_id(),
               exercise.card.predictions.empty() ? "" : "left ");
    print_score(state);
    return Exit::ok;
  }
  const Prediction &prediction = *open.front();
  const auto counted = its.counters.find(prediction.counter);
  if (!its.passed || counted == its.counters.end()) {
    throw failure(
        "nothing is counted until {0} passes on the emulator: ./tutor check {0} --backend cpu",
        exercise.short_id());
  }

  print_lines(paragraph(reflow(prediction.question), std::min<std::size_t>(print_columns(), 88)));
  const Guess guess{
      prediction.counter, ask_for_number(request, exercise.short_id()), counted->second};
  const LearnerState after = file.change(
      [&](LearnerState &all) { all.exercises[exercise.id()].guesses.push_back(guess); });
  print_lines(answer_lines(
      prediction, after.of(exercise.id()), std::min<std::size_t>(print_columns(), 88)));
  print_score(after);
  return Exit::ok;
}

} // namespace tutor::commands
