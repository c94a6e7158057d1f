#pragma once

#include "base/diff.hpp"
#include "exercises/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Answers are stored as differences from the stub: solutions/05_reduction/block_sum.diff,
/// wrong_answers/05_reduction/block_sum/missing_barrier.diff, and right_answers/05_reduction/block_sum/shuffles.diff for
/// what is right in another style. They are applied here, in memory, line
/// by line as they stand: no offset, no fuzz.

namespace tutor {

/// What a wrong answer must get.
struct Judgement {
  Verdict verdict;
  std::string diagnosis;
};
/// Of "hazard shared_race". Nothing if it is no verdict, or pass, or has no diagnosis behind it.
std::optional<Judgement> judgement_named(std::string_view text);

/// A stored answer.
struct Answer {
  std::string exercise; ///< "05_reduction/block_sum"
  std::string stub_sha256; ///< of the stub it was made from
  std::string mistake; ///< of a wrong answer: why a beginner writes it; else empty
  std::string style; ///< of a right answer in another style: why somebody writes it so; else empty
  Verdict verdict = Verdict::pass; ///< what the answer must get
  std::string diagnosis; ///< empty for a solution
  /// Words that the message must have on the emulator, of a right answer its note; may be empty.
  std::string says;
  /// Of a wrong answer, where clang compiles it and tells the instruments less; mostly none: the same.
  std::optional<Judgement> with_clang;
  bool passes_on_gpu = true; ///< of a wrong answer: the GPU's own check does not see the mistake
  bool anywhere =
      false; ///< of all but solutions: it changes lines outside of the TODO regions, too
  std::string changes; ///< the unified difference, from its "---" line to the end

  bool is_wrong_answer() const { return !mistake.empty(); }
  bool is_right_answer() const { return !style.empty(); }
};

/// Reads an answer. `file` is named in messages.
/// \throws Failure (failed) "FILE:LINE: what is wrong": a line that is missing or unknown, CRLF, …
Answer parse_answer(std::string_view text, const std::filesystem::path &file);
/// The same, from disk.
Answer read_answer(const std::filesystem::path &file);

/// The solved (or wrongly solved) file.
/// \throws Failure (failed): the stub is not the one the answer was made from, or a line of the
///         difference does not say what stands at its place
std::string
apply_answer(const Answer &answer, std::string_view stub, const std::filesystem::path &file);

/// Makes `answer.changes` and `answer.stub_sha256` from two texts; the same texts give the same
/// bytes.
/// \param name  of the file, for the lines "--- NAME" and "+++ NAME"
/// \throws Failure (failed) when nothing differs
void make_changes(Answer &answer,
                  const std::string &name,
                  std::string_view stub,
                  std::string_view solved);

/// The answer as it is stored.
std::string to_text(const Answer &answer);

/// The hunks of a difference, each from its "@@" line on: explanations belong to them one by one.
std::vector<std::string> hunks_of(std::string_view changes);

} // namespace tutor
