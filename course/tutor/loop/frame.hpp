#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Lines of styled text, and fitting them into the columns of a terminal.

namespace tutor {

/// How a piece of text looks where colours are shown. (frame.cpp has their codes in this order.)
enum class Style { plain, bold, faint, red, green, yellow, reversed, cyan };

/// A piece of text in one style.
struct Span {
  std::string text;
  Style style = Style::plain;
};

/// One line of a screen.
struct Line {
  std::vector<Span> spans;

  Line() = default;
  Line(std::string text, Style style = Style::plain) : spans{{std::move(text), style}} {}
  Line(std::vector<Span> parts) : spans(std::move(parts)) {}
};

using Lines = std::vector<Line>;

void append(Lines &lines, const Lines &more);

/// A text that a terminal may be given: control characters (and so escape sequences) are gone, a tab
/// is two spaces.
std::string without_controls(std::string_view text);

/// The columns that a UTF-8 text takes.
std::size_t columns_of(std::string_view text);

/// The longest beginning of a UTF-8 text that takes at most `columns`.
std::string_view clip(std::string_view text, std::size_t columns);

/// Prose, broken between words so that each line takes at most `columns`; line breaks in the text
/// stay. Lines after a broken one are indented like it, and all by `indent` spaces more. A word that
/// is longer than a line is cut.
std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t indent = 0);

/// A card's text, whose line breaks are its author's editor's: lines are joined to paragraphs, which an
/// empty line ends. Indented lines, code perhaps, stay as they are.
std::string reflow(std::string_view text);

/// wrap(), as lines of one style.
Lines paragraph(std::string_view text,
                std::size_t columns,
                std::size_t indent = 0,
                Style style = Style::plain);

/// A path that fits: what is too much is taken from its middle.
std::string shortened_path(const std::string &path, std::size_t columns);

/// What a terminal gets for a line: at most `columns` wide, with escape sequences when `colours`.
std::string to_terminal(const Line &line, std::size_t columns, bool colours);

} // namespace tutor
