/// \file
/// Splits preprocessed C++ into tokens, as far as the rewriter needs them told apart.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rewriter {

enum class Kind { identifier, number, string, punctuation };

/// A piece of the source. White space and directives (line markers, pragmas) are no tokens.
struct Token {
  Kind kind;
  size_t begin; // offsets into the source
  size_t end;
  int line; // 1-based, in the file that the last line marker names
  int file; // index into Source::files
};

/// What is wrong, and where.
struct SourceError : std::runtime_error {
  SourceError(std::string in, int at, const std::string &what)
      : std::runtime_error(what), file(std::move(in)), line(at) {}
  std::string file;
  int line;
};

/// A preprocessed source. Headers of the system, the emulator's among them, are C++ already: they are
/// no tokens.
struct Source {
  std::string_view text;
  std::vector<std::string> files; // those that line markers name
  std::vector<bool> is_system; // by file
  std::vector<Token> tokens;
};

/// Tokens of the output of `-E`. `<<<` is one token, also when written `<< <`; every `>` is its own.
/// \throws SourceError
Source tokenize(std::string_view text);

/// The same text with brackets where `<:`, `%>` and their kin stand for them, every character in its place.
std::string without_digraphs(std::string_view text);

} // namespace rewriter
