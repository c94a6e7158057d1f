#pragma once

#include <string>
#include <string_view>
#include <vector>

/// \file
/// CUDA C++ and differences as HTML: what Doxygen's own colours leave out (kernels' keywords, and
/// lines that came or went).

namespace tutor {

/// Text as HTML shows it, in an element or in an attribute between double quotes.
std::string html_escaped(std::string_view text);

/// CUDA C++ as HTML, a string per line, without line ends. Words get classes: keyword, type, cuda,
/// comment, string, number, directive. A comment that goes over several lines is closed and opened
/// again on each.
std::vector<std::string> highlighted(std::string_view source);

/// The code of a fenced block as `<pre>`; `language` is what stood behind the backquotes. Without
/// line ends of its own, so that no reader of Markdown takes it apart.
std::string code_block(std::string_view language, std::string_view code);

} // namespace tutor
