/// \file
/// What a `__shared__` declaration becomes.
#pragma once

#include <string>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// A variable, and how a lambda within its scope declares it once more for itself.
struct SharedName {
  std::string name;
  std::string again;
};

/// Tokens [first, last] and what to write in their place.
struct Replacement {
  size_t first;
  size_t last;
  std::string with;
  std::vector<SharedName> names; // those declared in a function
};

/// Reads the declaration around the `__shared__` at token `keyword`, to its semicolon.
/// \param in_function  false at file scope, where stand-ins take the variables' place
/// \throws SourceError if it cannot be right
Replacement replace_shared(const Code &code, size_t keyword, bool in_function);

} // namespace rewriter
