#pragma once

#include "exercises/exercise.hpp"
#include "loop/state.hpp"

#include <optional>
#include <string>
#include <vector>

/// \file
/// Which hint comes next, and how a solution is explained.

namespace tutor {

/// The places of the card's hints that are of use after this diagnosis, in the order in which they are
/// given: those for it first, then those for everybody. Hints for other diagnoses are left out.
std::vector<std::size_t> hint_order(const Card &card, const std::string &diagnosis);

/// A hint to show.
struct GivenHint {
  const Hint *hint; ///< in the card
  std::size_t place; ///< in the card
  std::size_t level; ///< 1 for the first one that is given
  std::size_t of; ///< how many there are
};

/// The next hint that was not shown yet, or nothing when all were.
std::optional<GivenHint> next_hint(const Card &card, const ExerciseState &state);
/// Those that were shown, in order.
std::vector<GivenHint> shown_hints(const Card &card, const ExerciseState &state);

/// One change from the learner's file to the course's solution.
struct ExplainedHunk {
  std::string text; ///< from its "@@" line on
  std::vector<std::string> explanations; ///< the card's, of the solution's changes that it touches
};

/// The difference between the learner's file and the solution, explained where the card does so;
/// nothing when they are the same.
/// \throws Failure (failed) when the course's solution does not fit its stub
std::vector<ExplainedHunk> compare_with_solution(const Exercise &exercise, const std::string &mine);

/// The card's questions whose guesses are still to be made: there are two at each, unless the first is right.
std::vector<const Prediction *> open_predictions(const Card &card, const ExerciseState &state);

/// A guess as people type it: 4, 0.5, 1/32. Nothing when it is no number.
std::optional<double> parse_guess(const std::string &text);
/// A count as people read it: 4, 0.5, 1.0667.
std::string count_text(double count);

} // namespace tutor
