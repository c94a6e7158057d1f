#pragma once

#include <string>
#include <string_view>
#include <vector>

/// \file
/// CUDA C++ in colour: as HTML for the pages of ./tutor observe, in pieces for a terminal. (The site's is
/// course/tutor/site/highlight.py.)

namespace tutor {

/// A part of a line; its sort is keyword, type, cuda, comment, string, number, directive or nothing.
struct CodePiece {
  std::string text;
  std::string_view sort;
};
using CodeLine = std::vector<CodePiece>;

/// CUDA C++ by lines, without line ends. A comment that goes over several lines has a piece on each.
std::vector<CodeLine> pieces_of_code(std::string_view source);

/// The same as HTML, a string per line; the sorts are classes.
std::vector<std::string> highlighted(std::string_view source);

} // namespace tutor
