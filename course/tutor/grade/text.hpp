#pragma once

#include <string>
#include <string_view>

/// \file
/// Text from submissions, made fit to be printed and stored.

namespace tutor::grading {

/// The text as UTF-8 without control characters: what is neither becomes '?'. Line breaks and tabs
/// stay where `lines` is true.
std::string printable(std::string_view text, bool lines = false);

/// The first line.
std::string first_line(std::string_view text);

/// "1 case", "3 cases".
std::string counted(std::size_t count, std::string_view noun);

} // namespace tutor::grading
