#pragma once

#include "exercises/exercise.hpp"
#include "exercises/result.hpp"
#include "loop/frame.hpp"
#include "loop/hints.hpp"
#include "loop/state.hpp"
#include "loop/tty.hpp"

#include <string>
#include <vector>

/// \file
/// What the loop shows, as lines of text: no terminal takes part.

namespace tutor {

/// "PASS", "HAZARD: shared race" …, in its colour.
Line verdict_line(const Result &result);

/// What is said to the last guess, which was at this: what was counted, and why, unless another guess is left.
Lines answer_lines(const Prediction &prediction, const ExerciseState &state, std::size_t columns);

/// Everything about one check, the first cause first.
/// \param source  the learner's file, for the lines that the result names
Lines result_lines(const Exercise &exercise,
                   const ExerciseState &state,
                   const Result &result,
                   const std::string &source,
                   std::size_t columns);

/// The places that a result names, each with its thread and the learner's line.
Lines place_lines(const Exercise &exercise,
                  const Result &result,
                  const std::string &source,
                  std::size_t columns);

/// "also:" and a line, or three, for each further case that went wrong in another way.
Lines other_failures(const Result &result, std::size_t columns);

/// What to write, where, and where to read about it.
/// \param file    the learner's
Lines task_lines(const Exercise &exercise, const std::string &file, std::size_t columns);

/// The hints shown so far, the newest last.
Lines hint_lines(const Exercise &exercise, const ExerciseState &state, std::size_t columns);

/// The learner's file against the course's solution.
Lines compare_lines(const std::vector<ExplainedHunk> &hunks, std::size_t columns);

/// One line about where an exercise stands: "passed", "hazard: shared race, 2 hints".
/// \param changed  the course has changed the exercise since it was passed
std::string state_text(const ExerciseState &state, const Card &card, bool changed);

/// The exercises by chapter, each with its state; `selected` is marked. `selected_line` becomes the
/// place of the marked line.
Lines list_lines(const std::vector<Exercise> &exercises,
                 const LearnerState &state,
                 std::size_t selected,
                 std::size_t &selected_line);

/// All keys, and what they do.
Lines help_lines(std::size_t columns);

/// What stands below everything else.
struct Footer {
  std::size_t passed = 0;
  std::size_t total = 0;
  std::string chapter; ///< "05_reduction 2/6"
  std::size_t right_guesses = 0;
  std::size_t guesses = 0;
  std::string file; ///< the learner's
  std::string keys; ///< "n next  p previous …"
};
Lines footer_lines(const Footer &footer, std::size_t columns);

/// A whole screen: title, as much of the body as fits, one line of news, footer; exactly `size.rows`
/// lines. `scroll` is brought within its bounds.
Lines compose(const Line &title,
              const Lines &body,
              std::size_t &scroll,
              const std::string &news,
              const Lines &footer,
              const Size &size);

} // namespace tutor
