#pragma once

#include <string>
#include <string_view>
#include <vector>

/// \file
/// CUDA C++ as HTML, for the pages of ./tutor observe. (The site's is course/tutor/site/highlight.py.)

namespace tutor {

/// CUDA C++ as HTML, a string per line, without line ends. Words get classes: keyword, type, cuda,
/// comment, string, number, directive. A comment that goes over several lines is closed and opened
/// again on each.
std::vector<std::string> highlighted(std::string_view source);

} // namespace tutor
