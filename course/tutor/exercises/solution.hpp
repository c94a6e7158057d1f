#pragma once

#include "base/diff.hpp"
#include "base/paths.hpp"

#include <string>
#include <string_view>
#include <vector>

/// \file
/// Solutions are stored as differences from the stub: solutions/05_reduction/block_sum.diff. They are applied here, in
/// memory, line by line as they stand: no offset, no fuzz.

namespace tutor {

/// A stored solution.
struct Solution {
  std::string exercise; ///< "05_reduction/block_sum"
  std::string stub_sha256; ///< of the stub it was made from
  std::string changes; ///< the unified difference, from its "---" line to the end
};

/// Reads a solution. `file` is named in messages.
/// \throws Failure (failed) "FILE:LINE: what is wrong": a line that is missing or unknown, CRLF, …
Solution parse_solution(std::string_view text, const fs::path &file);
/// The same, from disk.
Solution read_solution(const fs::path &file);

/// The solved file.
/// \throws Failure (failed): the stub is not the one the solution was made from, or a line of the
///         difference does not say what stands at its place
std::string apply_solution(const Solution &solution, std::string_view stub, const fs::path &file);

/// A solution from two texts; the same texts give the same bytes.
/// \throws Failure (failed) when nothing differs
Solution make_solution(const std::string &exercise, std::string_view stub, std::string_view solved);

/// The solution as it is stored.
std::string to_text(const Solution &solution);

/// The hunks of a difference, each from its "@@" line on: explanations belong to them one by one.
std::vector<std::string> hunks_of(std::string_view changes);

/// A text with lines changed, from its top to its bottom. Each line of the edits goes on to the next line of the text that
/// is the same, and takes it out where it begins with '-', or keeps it: ' ', or an empty line. One with '+' puts a line in
/// where the edits have come to. "…" alone takes out what stands up to the next line that is named.
/// Unlike a hunk's, their places have no numbers, which any change above would move.
/// \param what  begins messages
/// \throws Failure (failed) where a line is not there
std::string apply_edits(std::string_view edits, std::string_view text, const std::string &what);
/// These edits, with as few kept lines as show where it is; the same texts give the same bytes.
/// \throws Failure (failed) where a text does not end in LF
std::string edits_between(std::string_view text, std::string_view changed, const std::string &name);

} // namespace tutor
