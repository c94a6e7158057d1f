#pragma once

#include "base/paths.hpp"
#include "exercises/exercise.hpp"
#include "exercises/result.hpp"
#include "exercises/workspace.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

/// \file
/// What the tutor remembers of a learner: WORKSPACE/.state.json.

namespace tutor {

/// A guess at a count, and what was counted.
struct Guess {
  std::string counter; ///< the card's key
  double guessed = 0;
  double counted = 0;

  /// Within 5 percent.
  bool right() const;
};

/// How many counts were guessed at, and how many of them rightly.
struct GuessScore {
  std::size_t made = 0, right = 0;
};

/// What is known of one exercise.
struct ExerciseState {
  bool passed = false; ///< at least once since it was begun or reset
  Verdict verdict = Verdict::not_run; ///< the last one
  std::string diagnosis; ///< the last one
  std::string stub_sha256; ///< of the course's stub at the last pass: a pass of an older one is old
  std::set<std::size_t> hints; ///< the card's hints that were shown, by their places
  std::map<std::string, double> counters; ///< each one of the last pass that counted it
  std::vector<Guess> guesses; ///< up to two at a count

  GuessScore score() const;
};

/// Everything, keyed by "05_reduction/block_sum". What belongs to exercises that the course no longer
/// has stays.
struct LearnerState {
  std::map<std::string, ExerciseState> exercises;
  std::set<std::string>
      read; ///< the sections of lessons that the reader is done with, by their ids
  std::string current; ///< the exercise that the loop showed last

  /// What is known of an exercise; of an unknown one: nothing yet.
  const ExerciseState &of(const std::string &id) const;
};

/// The file. Several tutors may use it at a time.
class StateFile {
public:
  explicit StateFile(const fs::path &workspace);

  /// Reads it; a file that is not there is an empty state. One that cannot be understood is put
  /// aside, and notice() says so.
  LearnerState load();
  /// Reads, changes and writes it, while no other tutor does. Returns the new state.
  /// \throws Failure (failed) when it cannot be written
  LearnerState change(const std::function<void(LearnerState &)> &edit);

  /// What the learner should know about the file; empty: nothing.
  const std::string &notice() const { return notice_; }

private:
  LearnerState load_unlocked();
  void put_aside(const std::string &why);

  fs::path file_;
  std::string notice_;
};

/// Whether a check found the stub as it came, for the first time. What is wrong with it tells an
/// exercise's idea to who has yet to think about it: that is said from the next check on.
/// \param before  the state without this outcome
bool is_first_look(const Workspace &workspace,
                   const Exercise &exercise,
                   const LearnerState &before,
                   const Result &result);

/// Takes the outcome of a check into the state.
/// \param stub_sha256  of the exercise's stub, as the course has it now
void record(LearnerState &state, const Result &result, const std::string &stub_sha256);

} // namespace tutor
