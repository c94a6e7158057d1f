#pragma once

#include "base/paths.hpp"
#include "exercises/class_file.hpp"
#include "exercises/exercise.hpp"

#include <memory>
#include <string>
#include <vector>

/// \file
/// A class's submissions as they lie on disk: a folder for each student, the files somewhere in it.

namespace tutor::grading {

/// One student's file for one exercise; with Attempts::best one of several.
struct Submission {
  std::string student; ///< the folder's name, byte by byte
  const Exercise *exercise = nullptr;
  fs::path file; ///< empty: nothing was handed in
  Moment handed_in{}; ///< as the platform noted; else when the file was last written
  bool by_file = true; ///< the latter: the student may have chosen it
  bool anew = false; ///< what an earlier run found does not count
};

/// Everything found.
struct Class {
  fs::path folder;
  std::shared_ptr<const std::vector<Exercise>> exercises; ///< which submissions point into
  std::vector<std::string> students; ///< in the order of their names
  std::vector<Submission> submissions; ///< each student's, in the order of the exercises
  std::vector<std::string> notes; ///< one line each, for people: what was passed over, and why
};

/// Files larger than this are not read: no answer is.
constexpr std::uintmax_t largest_submission = 256 * 1024;

/// More attempts than this are not graded: each costs a second, and whoever hands in pays nothing.
constexpr std::size_t most_attempts = 20;

/// Looks for NAME.cu of each exercise in each student's folder. Of several copies the one that lies
/// as in a workspace (CHAPTER/NAME.cu) is taken, else the one the fewest folders down. Links that
/// lead out of a student's folder are not followed, hidden folders not looked into.
/// \param whole_is_one  `folder` itself is one student's, the only one; Gradescope says beside it when it came
/// \param attempts      which of several copies instead
/// \throws Failure (usage) when there is no such folder, no student in it, or when it looks like one
///         student's
Class find_submissions(const fs::path &folder,
                       const std::vector<Exercise> &exercises,
                       bool whole_is_one,
                       Attempts attempts = Attempts::in_place);

/// One of `count` parts of a class, with every count-th student; `index` from 1 up. What is the same for
/// all, the exercises say, is found out in the whole class before.
Class shard_of(const Class &all, int index, int count);

/// Marks what is to be graded anew: all of a student, or an exercise, given as `check` takes it, of all.
/// \throws Failure (usage) when a word is neither
void mark_anew(Class &all, const std::vector<std::string> &words);

/// True when files of exercises lie in the folder as in one student's.
bool looks_like_one_student(const fs::path &folder, const std::vector<Exercise> &exercises);

} // namespace tutor::grading
