#pragma once

#include "base/course.hpp"
#include "exercises/exercise.hpp"
#include "loop/state.hpp"

#include <string>
#include <vector>

/// \file
/// A chapter's lesson by sections, which is how it is read, and how far a reader is.

namespace tutor {

/// What stands under a heading, and under those within it. A page's opening belongs to its first one.
struct Section {
  fs::path page;
  std::string title;
  std::string text; ///< Markdown
  std::vector<std::string> headings; ///< all of it
  std::vector<const Exercise *> exercises; ///< whose cards name one of them

  std::string id() const; ///< "05_reduction/README.md#v2: halve the distance"
  /// Whether its exercises have passed, or the reader says that it is read.
  bool done(const LearnerState &state) const;
};

/// The lesson's own sections, then those of its further pages.
/// \param exercises  of the course; have to outlive the sections
std::vector<Section> sections_of(const fs::path &chapter_folder,
                                 const std::vector<Exercise> &exercises);

/// The section that is meant by its number, an exercise, a step or words of a heading.
/// \throws Failure (usage) with the nearest headings
const Section &
find_section(const std::vector<Section> &sections, const Chapter &chapter, const std::string &word);

/// What to read for an exercise: the sections behind that of the exercise before it on the page, up to its own. Where the
/// exercise before it was the last one of a lesson's first page, what is left of that comes before them. Empty where its
/// card names no section.
std::vector<Section> reading_for(const Exercise &exercise, const std::vector<Exercise> &exercises);

} // namespace tutor
