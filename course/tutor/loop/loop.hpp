#pragma once

#include "base/paths.hpp"
#include "exercises/exercise.hpp"
#include "exercises/result.hpp"
#include "exercises/workspace.hpp"
#include "loop/frame.hpp"
#include "loop/hints.hpp"
#include "loop/keys.hpp"
#include "loop/lesson.hpp"
#include "loop/state.hpp"
#include "loop/tty.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The loop without its terminal: what happens goes in, screens come out.

namespace tutor {

/// What the loop has others do.
struct LoopHands {
  /// Sees to it that an exercise can be checked soon; may take its time.
  std::function<void(const Exercise &)> prepare;
  /// Begins to check an exercise's file, and gives up the check before; judged() or trouble() follow.
  std::function<void(const Exercise &)> start_check;
  /// Gives up the check that is going on.
  std::function<void()> stop_check;
  /// Lets the learner edit a file; returns what went wrong, or nothing.
  std::function<std::string(const fs::path &)> edit;
  /// A clock, in seconds.
  std::function<double()> now;
};

/// The place of the exercise that the loop begins with: the one of this id, or where the learner was,
/// if that has not passed yet, else the first that has not.
std::size_t where_to_begin(const std::vector<Exercise> &exercises,
                           const LearnerState &state,
                           const std::string &id);

/// Where a learner is, and what is on the screen.
class Loop {
public:
  /// \param exercises  at least one
  Loop(std::vector<Exercise> exercises, Workspace workspace, LoopHands hands);

  /// Shows the first exercise: where_to_begin().
  /// \param notice  what the learner should know first; may be empty
  void begin(const std::string &id, const std::string &notice = "");

  void press(const Key &key);
  void file_changed(); ///< the file at watched() is not what it was
  void saved_elsewhere(const std::string &id); ///< the file of another exercise is not what it was
  void phase(std::string text); ///< of the check: "compiling"
  void judged(const Result &result);
  void trouble(const std::string &message); ///< the check could not be made

  bool over() const { return over_; }
  bool checking() const { return checking_; }
  const fs::path &watched() const { return file_; }

  /// The screen; as many lines as `size` has rows.
  Lines draw(const Size &size);

private:
  enum class Mode { exercise, lesson, list, help, task, hint, compare, guess, message };

  const Exercise &here() const { return exercises_[index_]; }
  const ExerciseState &state_here() const { return state_.of(here().id()); }
  std::size_t first_not_passed(std::size_t from) const;

  void go_to(std::size_t index);
  void show(Mode mode);
  void check_now();
  void change(const std::function<void(LearnerState &)> &edit);

  void press_in_list(const Key &key);
  void press_in_guess(const Key &key);
  bool press_scroll(const Key &key);
  void press_command(char command);
  void give_hint();
  void compare();
  void ask_for_guess();
  void take_guess();
  void read_on();
  void next();
  void next_not_passed();
  void edit();

  Line title() const;
  Lines body(std::size_t columns);
  Lines exercise_body(std::size_t columns) const;
  Lines checking_body(std::size_t columns) const;
  Lines guess_body(std::size_t columns) const;
  Lines footer(std::size_t columns) const;
  std::string keys() const;

  std::vector<Exercise> exercises_;
  Workspace workspace_;
  LoopHands hands_;
  StateFile state_file_;
  LearnerState state_;

  std::size_t index_ = 0;
  fs::path file_;
  std::map<std::string, Result> results_; ///< the last ones of this run, by id
  bool checking_ = false;
  std::string phase_;
  double check_began_ = 0;
  std::string trouble_;

  Mode mode_ = Mode::exercise;
  std::size_t scroll_ = 0;
  std::size_t rows_ = 24; ///< of the last screen: what a page is
  std::size_t selected_ = 0; ///< in the list
  Lines page_; ///< of the mode message
  std::vector<Section> reading_; ///< for the exercise: its own section is the last
  std::size_t section_ = 0; ///< of the mode lesson: its place among them
  bool unfolded_ = false;
  std::vector<ExplainedHunk> hunks_; ///< of the mode compare
  std::optional<std::size_t> elsewhere_; ///< the other exercise whose file was saved last
  std::string typed_; ///< the guess so far
  std::string news_;
  bool over_ = false;
};

} // namespace tutor
