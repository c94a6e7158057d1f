/// \file
/// Splits C++ source into tokens, as far as the rewriter needs them told apart.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rewriter {

enum class Kind { identifier, number, string, punctuation, include };

/// A piece of the source. Comments and white space are no tokens. A directive's own tokens are
/// tokens like others (the body of a macro may hold a launch); `directive` says whose they are.
struct Token {
  Kind kind;
  size_t begin; // offsets into the source
  size_t end;
  int line; // 1-based
  int directive; // 0: not in a preprocessor directive; else its number
};

/// What is wrong with the source, as `line: message`.
struct SourceError : std::runtime_error {
  SourceError(int at, const std::string &what) : std::runtime_error(what), line(at) {}
  int line;
};

/// Tokens of `source`. `<<<` is one token, also when written `<< <`; every `>` is its own.
/// An #include with a quoted or bracketed name is one token of kind `include`: the name with its
/// delimiters.
std::vector<Token> tokenize(std::string_view source);

} // namespace rewriter
