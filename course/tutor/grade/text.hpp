#pragma once

#include <string>
#include <string_view>

/// \file
/// Text from submissions, made fit to be printed and stored.

namespace tutor::grading {

/// The text as UTF-8 without control characters: what is neither becomes '?', and what nobody would see (a blank of no
/// width, a turn to the left) <U+202E>. Line breaks and tabs stay where `lines` is true.
std::string printable(std::string_view text, bool lines = false);

/// At most so many bytes of it, and an ellipsis where it was longer.
std::string shortened(const std::string &text, std::size_t most);

/// What a reader takes a name for: blanks of all kinds are one, and letters of other alphabets are those that they
/// look like.
std::string looks_like(std::string_view name);

/// The first line.
std::string first_line(std::string_view text);

/// "1 case", "3 cases".
std::string counted(std::size_t count, std::string_view noun);

} // namespace tutor::grading
