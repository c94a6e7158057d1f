#pragma once

#include <string>
#include <string_view>
#include <vector>

/// \file
/// C++ as the preprocessor reads it: lines spliced, comments gone, strings whole.

namespace tutor {

struct SourceToken {
  enum class Kind {
    word, ///< a name or a number
    text, ///< a string or a character, with its quotes
    header, ///< <name> or "name" behind #include
    raw_string, ///< R"…: only its beginning, for nobody gets past it
    sign ///< any other character
  };
  Kind kind;
  std::string text;
  int line;
  bool first_in_line;
  bool begins_directive; ///< it is a # (or %:), and the first in its line
};

/// The tokens of a source; what cannot be read (a quote without its end) ends with its line.
std::vector<SourceToken> tokens_of(std::string_view source);

} // namespace tutor
