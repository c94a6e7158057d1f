#pragma once

#include "base/diff.hpp"
#include "base/paths.hpp"
#include "exercises/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What learners write, and what it gets: exercises/CHAPTER/NAME/answers.toml holds wrong answers, each with a verdict, and
/// right ones in other styles than the solution's. An answer is what it changes in the solution, or, where that is more,
/// the lines that stand in the place of the stub's TODO.

namespace tutor {

/// The lines of a stub that a learner may change: from a line with "TODO" to one with "end of TODO",
/// both included. Line numbers from 1.
struct TodoRegion {
  std::size_t first = 0, last = 0;
};

/// \throws Failure (failed) "FILE:LINE: …" for a region that is not closed, or a stub without any
std::vector<TodoRegion> todo_regions(std::string_view stub, const fs::path &file);

/// What a wrong answer must get.
struct Judgement {
  Verdict verdict;
  std::string diagnosis;
};
/// Of "hazard shared_race". Nothing if it is no verdict, or pass, or has no diagnosis behind it.
std::optional<Judgement> judgement_named(std::string_view text);

/// A stored answer.
struct StoredAnswer {
  std::string name; ///< "missing_barrier"
  bool wrong = true; ///< else a right one
  std::string why; ///< why a beginner makes the mistake, or why somebody writes it in this style
  Verdict verdict = Verdict::pass; ///< what a wrong answer must get
  std::string diagnosis;
  /// Words that the message must have on the emulator, of a right answer its note; may be empty.
  std::string says;
  /// Of a wrong answer, where clang compiles it and tells the instruments less; mostly none: the same.
  std::optional<Judgement> with_clang;
  bool passes_on_gpu = false; ///< of a wrong answer: the GPU's own check does not see the mistake
  std::vector<std::string>
      bodies; ///< what stands in the place of each TODO region; empty: see edits
  std::string edits; ///< of the solution, as apply_edits() takes them
};

/// What answers are written against.
struct Ground {
  std::string stub;
  fs::path stub_file; ///< for messages
  std::string solved; ///< the stub with the solution in it
};

/// The answers of a file: wrong ones, then right ones, each by name. None where there is no file.
/// \throws Failure (failed) "FILE:LINE: what is wrong with it"
std::vector<StoredAnswer> read_answers(const fs::path &file);
/// The file that holds them; the same answers give the same bytes.
std::string to_toml(const std::vector<StoredAnswer> &answers);
/// Puts an answer in its place among the others, or in that of the one with its name.
void put(std::vector<StoredAnswer> &answers, StoredAnswer answer);

/// The file as a learner would have it.
/// \param file  is named in messages
/// \throws Failure (failed): a line that an edit names is not there, too few bodies or too many
std::string written_out(const StoredAnswer &answer, const Ground &ground, const fs::path &file);
/// Makes edits or bodies, whichever are fewer lines, of a file as a learner has it.
/// \throws Failure (failed) when nothing differs from the stub, or from the solution
void take_from(StoredAnswer &answer, const Ground &ground, std::string_view written);

} // namespace tutor
