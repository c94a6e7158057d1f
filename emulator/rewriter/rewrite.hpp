/// \file
/// Turns CUDA C++ into C++ that an ordinary compiler takes: launches and `__shared__` variables.
/// Everything else of CUDA is headers and libraries.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace rewriter {

/// Decides what an #include becomes: gets the name with its delimiters and returns what to write
/// in its place.
using IncludeHandler = std::function<std::string(std::string_view)>;

/// The rewritten source. Every line of it stands on the line it had, so one #line directive keeps
/// all messages and debuggers right.
/// \throws SourceError with the line and what is wrong
std::string rewrite(std::string_view source, const IncludeHandler &include);

} // namespace rewriter
