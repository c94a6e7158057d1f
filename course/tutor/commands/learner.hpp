#pragma once

#include "base/course.hpp"
#include "base/failure.hpp"
#include "exercises/exercise.hpp"
#include "exercises/workspace.hpp"
#include "loop/frame.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The learner's commands: one function each.

namespace tutor::commands {

/// What the learner's commands are told. A command looks at what concerns it.
struct LearnerRequest {
  std::vector<std::string> words; ///< a chapter, and a section of its lesson
  std::string step; ///< of a chapter, such as v3; or empty
  std::string device; ///< of the time model, or empty
  std::string exercise; ///< 05.2, block_sum or 05_reduction/block_sum; may be empty where optional
  std::optional<std::string> workspace; ///< another folder than the course's own
  std::optional<std::string> backend;
  std::optional<std::string> guess;
  std::string shell;
  bool json = false;
  bool all = false;
  bool spoil = false;
  std::string help; ///< what a bare tutor says without a terminal; or empty
  std::function<std::vector<std::string>()> commands; ///< the names of all, for completion
};

/// `learn [ID]`, and a bare `tutor`: the loop. Without a terminal a bare `tutor` prints its help and the
/// next step, and `learn` is refused.
Exit learn(const Course &course, const LearnerRequest &request);
/// `lesson CHAPTER [SECTION] [--all]`: a section of a lesson, for the terminal; without one: which there are.
Exit lesson(const Course &course, const LearnerRequest &request);
/// `list [--json]`: chapters, exercises, and how far the learner is.
Exit list(const Course &course, const LearnerRequest &request);
/// `hint ID [--all]`: the next hint, for what went wrong last if there is one for it.
Exit hint(const Course &course, const LearnerRequest &request);
/// `diff ID [--spoil]`: the learner's file against the solution.
Exit diff(const Course &course, const LearnerRequest &request);
/// `reset ID`: the stub anew; the learner's file is kept beside it.
Exit reset(const Course &course, const LearnerRequest &request);
/// `update`: brings what the course has changed into the learner's files.
Exit update(const Course &course, const LearnerRequest &request);
/// `predict [ID] [--guess N]`: a guess first, then what was counted. `predict CHAPTER [--on DEVICE]`: what its steps
/// would take on a GPU. `predict CHAPTER STEP`: see below.
Exit predict(const Course &course, const LearnerRequest &request);
/// `predict CHAPTER STEP [--guess N]`: how many times as fast as the step before it, by the time model.
Exit predict_step(const Course &course, const LearnerRequest &request);
/// The request's guess, or one that is typed now. \param what  that `predict` was asked
double ask_for_number(const LearnerRequest &request, const std::string &what);
/// `completion SHELL`: what the shell needs to complete the tutor's commands.
Exit completion(const Course &course, const LearnerRequest &request);
/// `editor`: compile_commands.json, with which clangd understands the course's CUDA files.
Exit editor(const Course &course, const LearnerRequest &request);

/// Prints lines, coloured where that is seen.
void print_lines(const Lines &lines);
/// The columns of the terminal; 88 where there is none.
std::size_t print_columns();

} // namespace tutor::commands
