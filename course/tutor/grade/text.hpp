#pragma once

#include <string>
#include <string_view>

/// \file
/// Text from submissions, made fit to be printed and stored.

namespace tutor::grading {

/// The text as UTF-8 that can be seen: control characters, what is no UTF-8 and what takes no place (a turn to the left)
/// stand as bytes, "\x0a". Line breaks and tabs stay where `lines` is true.
std::string printable(std::string_view text, bool lines = false);

/// A student's or a file's name so that no two look the same: a backslash ahead of an x is a byte, too. unescaped()
/// reads it back.
std::string shown_name(const std::string &name);

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
