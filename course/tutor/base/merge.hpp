#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// \file
/// Three-way merge of text, line by line: what `./tutor update` does when the course has changed an
/// exercise that a learner has already begun.

namespace tutor {

/// The outcome of a merge.
struct Merge {
  std::string text;
  std::size_t conflicts; ///< places where both sides changed the same lines; marked in the text
};

/// Brings the changes from `base` to `theirs` into `ours`.
///
/// A run of lines that only one side changed takes that side's version. Where both changed it, and
/// differently, both versions stay in the text, `ours` first, between the lines that begin with
/// `<<<<<<<`, `=======` and `>>>>>>>`. Line ends of `ours` become "\n".
Merge merge_texts(std::string_view base, std::string_view ours, std::string_view theirs);

/// The line, from 1, in which the first conflict that is still marked begins; 0: there is none.
int first_conflict(std::string_view text);

} // namespace tutor
