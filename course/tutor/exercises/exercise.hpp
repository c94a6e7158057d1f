#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"
#include "exercises/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The exercises as they lie on disk: a stub, a checker, a card, a solution, wrong answers and right ones.

namespace tutor {

/// A hint; each one says more than the one before.
struct Hint {
  std::string when; ///< only after this diagnosis was seen; empty: always
  std::string text;
};

/// A question to guess at, answered by a counter that the checker records in a run that passes.
struct Prediction {
  std::string question;
  std::string counter; ///< a key of Result::counters
  std::string reason; ///< told after the guess, right or wrong
};

/// What exercises/CHAPTER/NAME/card.toml says.
struct Card {
  std::string title;
  int number = 0; ///< within the chapter: 2 makes "05.2"
  int minutes = 0; ///< a learner needs about this long
  std::string task; ///< plain words: what to write, what is checked
  std::string section; ///< heading of the lesson that helps; may be empty
  double points = 1; ///< for grading
  std::vector<std::string> merged; ///< names of exercises that there were, whose tasks this one has
  Verdict stub_verdict = Verdict::fail; ///< what the untouched stub must get
  std::string stub_diagnosis;
  std::vector<Hint> hints;
  std::vector<Prediction> predictions;
  /// Inputs at which answers break and which the checker does not bring, by name: why not.
  std::map<std::string, std::string> left_out;
  std::vector<std::string> explanations; ///< one for each hunk of the solution, in order
};

/// Reads a card.
/// \throws Failure (failed) "FILE:LINE: what is wrong with it"
Card read_card(const fs::path &file);

/// The pages of a chapter's lesson: its README.md, then those in more/.
std::vector<fs::path> pages_of(const fs::path &chapter_folder);

/// One exercise. Of its files only the card is sure to be there.
struct Exercise {
  fs::path root; ///< of the course
  std::string chapter; ///< "05_reduction"
  int chapter_number = 0;
  std::string name; ///< "block_sum"
  Card card;
  fs::path card_file;
  fs::path stub; ///< exercises/05_reduction/block_sum/stub.cu
  fs::path checker; ///< exercises/05_reduction/block_sum/check.cu
  fs::path solution; ///< solutions/05_reduction/block_sum.diff
  fs::path answers; ///< exercises/05_reduction/block_sum/answers.toml: wrong ones, and right ones

  std::string id() const { return chapter + "/" + name; }
  std::string short_id() const; ///< "05.2"
  std::string file_name() const { return name + ".cu"; }
  /// Whether 05.2, block_sum or 05_reduction/block_sum means this one.
  bool is_meant_by(std::string_view word) const;
  fs::path lesson() const { return root / "chapters" / chapter / "README.md"; }
  /// The page of the lesson that has the card's section as a heading: the first one, or one of its more/.
  fs::path page() const;
  /// Where the learner's copy lies in a workspace: WORKSPACE/05_reduction/block_sum.cu.
  fs::path file_in(const fs::path &workspace) const { return workspace / chapter / file_name(); }
};

/// All exercises of the course, in the order of chapters and numbers.
/// \throws Failure (failed) for a card that cannot be read, a number used twice in a chapter, a name
///         used twice in the course, a folder of exercises that belongs to no chapter
std::vector<Exercise> exercises_of(const Course &course);

/// The exercise that a word means.
/// \throws Failure (usage) with the closest names when there is no such exercise
const Exercise &find_exercise(const std::vector<Exercise> &exercises, std::string_view word);

/// The exercises meant by words as above; a chapter's name or number means all of its exercises. No
/// words: all there are. In the order of the course, each one once.
std::vector<Exercise> find_exercises(const Course &course, const std::vector<std::string> &words);

} // namespace tutor
