#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Line differences between two texts: what `./tutor steps` prints and what a lesson shows.

namespace tutor {

/// What became of one line on the way from the old text to the new one.
enum class LineChange : char { kept = ' ', removed = '-', added = '+' };

/// One line of a difference; `text` ends in "\n" unless it is an unterminated last line.
struct DiffLine {
  LineChange change;
  std::string text;
};

/// A whole difference: every line of both texts, in order, a removal before the addition replacing
/// it.
using Diff = std::vector<DiffLine>;

/// Cuts a text into lines, each with its "\n"; a last line without one is kept as it is.
std::vector<std::string> split_lines(std::string_view text);

/// The shortest difference between two texts, by E. W. Myers, "An O(ND) Difference Algorithm and
/// Its Variations", Algorithmica 1 (1986). The same input always gives the same difference.
Diff diff_texts(std::string_view old_text, std::string_view new_text);

/// How a difference is written down.
struct UnifiedFormat {
  std::string old_name{}; ///< written after "--- "; both names empty: no header lines
  std::string new_name{}; ///< written after "+++ "
  std::size_t context = 3; ///< kept lines shown around each change
};

/// A difference in the unified format, as `diff -u` writes it; empty when the texts are the same.
std::string to_unified(const Diff &diff, const UnifiedFormat &format);

} // namespace tutor
