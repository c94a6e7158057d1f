#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// @file
/// Pulls code and its opening comment out of a source file. All functions throw LessonError.

namespace tutor::lessons {

/// The three lines that open every step.
struct Idea {
  std::string was; ///< what the step before still cost
  std::string now; ///< the one idea
  std::string watch; ///< the counter that moves
};

/// Reads the opening `// Was: … // Now: … // Watch: …` comment; lines may be continued.
Idea read_idea(std::string_view source);

/// Number of lines of the comment that opens a file; 0 when it opens with something else.
std::size_t opening_comment_lines(std::string_view source);

/// The code without its opening comment, `#pragma once` and `#include` lines.
std::string whole_code(std::string_view source);

/// The lines from the first one that matches `from` to the first one at or after it that matches
/// `to`, both included, with the indentation they share taken away. ECMAScript regular expressions.
std::string code_between(std::string_view source, const std::string &from, const std::string &to);

/// The definition of the function `name`: its comment, template line and body.
std::string code_of_function(std::string_view source, const std::string &name);

} // namespace tutor::lessons
