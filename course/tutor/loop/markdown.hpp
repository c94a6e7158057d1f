#pragma once

#include "loop/frame.hpp"

#include <string>

/// \file
/// Markdown, as lessons are written in it, for a terminal.

namespace tutor {

/// A page's lines, at most `columns` wide: tables laid out, code in colour, comments left out, a picture as what it shows,
/// and what leads to the web as a number, whose address stands at the end.
/// \param unfold  what a reader does to see what is folded, "--all"; empty: all of it is shown
Lines markdown_lines(const std::string &markdown, std::size_t columns, const std::string &unfold);

} // namespace tutor
