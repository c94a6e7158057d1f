/// @file
/// What a checker declares: as much of C++ as these few lines of it need.
#pragma once

#include "lexer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace roles {

/// A function that the learner's process has to know.
struct Function {
  std::string result; ///< type
  std::string name;
  std::string parameters; ///< as they are written, between the parentheses
  std::vector<std::string> arguments; ///< what a call hands on: names, and elements<N>(name)
  std::string key;
  bool kernel = false;
  std::string definition; ///< of a kernel of the checker's own; empty: the learner defines it
  std::size_t body_begin = 0, body_end = 0; ///< of the definition: its braces, in the file
};

/// A structure that parameters may mention.
struct Structure {
  std::string name, definition;
};

/// What one file declares outside of functions.
class Declarations {
public:
  /// @param stem  of the file's name, which tells its own kernels from those of others
  /// @throws std::runtime_error naming a parameter that has no name
  Declarations(std::string text, std::string stem);

  const std::vector<Function> &functions() const { return functions_; }
  const std::vector<Structure> &structures() const { return structures_; }
  /// Bodies of kernel templates, of which the judge needs none.
  const std::vector<std::pair<std::size_t, std::size_t>> &template_bodies() const {
    return template_bodies_;
  }
  /// Names of files that are included with "".
  const std::vector<std::string> &includes() const { return includes_; }

private:
  void read_tokens();
  void take_include(std::string_view directive);
  void scan(std::size_t first, std::size_t end, bool outside);
  std::size_t end_of_item(std::size_t first, std::size_t end) const;
  std::size_t closing(std::size_t open) const;
  void take_item(std::size_t first, std::size_t end, bool outside);
  void take_function(std::size_t first, std::size_t name, std::size_t end, bool outside);
  void take_parameters(Function &function, std::size_t open) const;
  bool is(std::size_t token, std::string_view text) const { return text_of(token) == text; }
  std::string_view text_of(std::size_t token) const;
  std::string between(std::size_t first, std::size_t end) const;

  std::string text_, stem_;
  std::vector<rewriter::Token> tokens_;
  std::vector<std::string> includes_;
  std::vector<Function> functions_;
  std::vector<Structure> structures_;
  std::vector<std::pair<std::size_t, std::size_t>> template_bodies_;
};

/// The checker's text for the judge.
/// @param origin  the file that its lines belong to
std::string
judge_of(const std::string &text, const std::string &origin, const std::vector<Declarations> &all);
/// What the learner's process gets of the checker.
std::string calls_of(const std::vector<Declarations> &all);

} // namespace roles
