#pragma once

#include "base/course.hpp"
#include "base/failure.hpp"
#include "exercises/exercise.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The commands about exercises for scripts and authors: check and author.

namespace tutor::commands {

/// What `check` is told.
struct CheckRequest {
  std::vector<std::string> exercises; ///< ids, or chapters
  bool all = false;
  bool picture = false; ///< the request that costs too much is drawn, beside the learner's file
  bool task = false; ///< nothing is checked: what is asked is printed, and where the file lies
  std::optional<std::string> backend;
  std::optional<std::string> workspace;
  std::optional<std::string> file; ///< somebody else's: behind walls, and nothing is noted
  std::optional<std::string> extra_checks; ///< with file: hidden checks, as `grade` has them
  std::string json; ///< file for the results; "-": stdout, which then holds nothing else
  std::uint64_t seed = 2026;
};

/// `check [ID…|--all]`: judges the learner's files. Exit 0 when all of them pass.
Exit check(const Course &course, const CheckRequest &request);

/// What `author` is told, as its options say.
struct AuthorRequest {
  std::vector<std::string> exercises; ///< one, but for --prove, --seeds and --time
  std::string from; ///< a solved file to make a stored answer of
  std::string wrong, right; ///< the answer's name
  std::string style, mistake, verdict, with_clang, says, gpu; ///< see StoredAnswer
  std::string fresh; ///< a chapter that there is not yet, 13_stencil, or an exercise, 01/any_shape
  bool restub = false, prove = false, time = false;
  std::optional<std::uint64_t> seeds; ///< check what is right with so many
  bool built = false; ///< the checkers are built already
  std::optional<std::string> backend;
  std::string json; ///< file for what each variant got, or took
  std::string messages; ///< file for what learners read of each variant
};

/// `author ID --from FILE`: stores an answer as a difference from the stub. `author ID`: prints a
/// solved file. `author --prove [ID…]`: proves that exercises hold; exit 1 when one does not.
/// `author --seeds N [ID…]`: checks solutions and right answers on seeds 1 to N; exit 1 when one fails.
/// `author --time [ID…]`: measures how long a learner waits; exit 1 when it is too long.
/// `author --restub ID`: see below. `author --new 13_name`: see below.
Exit author(const Course &course, const AuthorRequest &request);

/// Makes the answers of an exercise, which were made from the stub that git has, answers of the stub that
/// there is now. What both changed stays as it was, and is named: exit 1.
Exit restub(const Course &course, const Exercise &exercise);

/// Makes a chapter's folder from tools/new_chapter: two steps, and a lesson to be written.
Exit new_chapter(const Course &course, const std::string &id);
/// Makes an exercise's folder and its solution from tools/new_exercise, whole and proven: 01/any_shape.
Exit new_exercise(const Course &course, const std::string &word);

} // namespace tutor::commands
