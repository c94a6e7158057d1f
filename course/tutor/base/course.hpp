#pragma once

#include "base/failure.hpp"
#include "base/paths.hpp"

#include <string>
#include <string_view>
#include <vector>

/// \file
/// The course as it lies on disk. Everything is derived from the folders: nothing is listed twice.

namespace tutor {

/// One step of a chapter: a file such as v3_first_add_during_load.cuh.
struct Step {
  std::string name; ///< the file's stem, "v3_first_add_during_load"
  fs::path file;
};

/// One chapter: a folder such as chapters/05_reduction.
struct Chapter {
  int number; ///< 5
  std::string id; ///< "05_reduction": folder, CMake target and program
  std::string title; ///< the first heading of its README.md, without the number
  fs::path folder;
  std::vector<Step> steps; ///< in the order of their numbers; files of the room `steps`

  /// The step meant by a full name, a number such as v3, or a beginning only one step has.
  /// \throws Failure (usage) naming the steps there are
  const Step &find_step(std::string_view word) const;

  /// The CUDA sources (.cu) of its program, sorted: those beside its rooms, and in them.
  std::vector<fs::path> kernels() const;
};

/// Where builds and learners' files lie: the course's folder, or, where the course is installed for a class
/// and the folder is nobody's to write to, the learner's own, which ./tutor names in BUILD_FIRST_HOME.
fs::path home_of(const fs::path &root);

/// The chapters under `root`/chapters.
class Course {
public:
  explicit Course(fs::path root);

  const fs::path &root() const { return root_; }
  /// Where the course's own files find their headers: "common/check.hpp", "ladder/chapter.hpp", "checker/checker.hpp".
  std::vector<fs::path> include_folders() const {
    return {root_, root_ / "course", root_ / "course/grading", root_ / "emulator"};
  }
  const std::vector<Chapter> &chapters() const { return chapters_; }

  /// The chapter meant by 05, 5, reduction, 05_reduction or the path of a file in a folder of that name.
  /// \throws Failure (usage) with the closest names when there is no such chapter
  const Chapter &find(std::string_view word) const;
  /// The same, or nothing.
  const Chapter *named(std::string_view word) const;

private:
  fs::path root_;
  std::vector<Chapter> chapters_;
};

/// What to throw for a word that names no `kind` of thing: it tells the near names, or where there is none all.
Failure unknown_name(std::string_view kind,
                     std::string_view word,
                     const std::vector<std::string> &near,
                     const std::vector<std::string> &all);

/// Whether somebody may have meant the name by this word: it is part of it, or few letters differ.
bool is_near(std::string_view word, std::string_view name);

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to another
/// (optimal string alignment), for "did you mean".
std::size_t edit_distance(std::string_view from, std::string_view to);

} // namespace tutor
