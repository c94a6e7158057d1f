#pragma once

#include "base/failure.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Markers: the HTML comments between which a lesson's generated text stands.
///
///     <!-- snippet v1_hello.cuh -->
///     …generated…
///     <!-- /snippet -->
///
/// A block's markers stand on lines of their own; only `value` stands inside a line of prose.

namespace tutor::lessons {

/// Something wrong with a lesson or with what it names; `line` is where (0: the caller knows).
class LessonError : public Failure {
public:
  explicit LessonError(const std::string &message, std::size_t line = 0)
      : Failure(Exit::failed, message), line(line) {}
  std::size_t line;
};

/// The words after a marker's name: plain ones in order, and `key=value` options. Values with
/// spaces are quoted: `from "int tid" args="--n 33"`. Inside quotes `\"` is a quote; other
/// backslashes stay.
class Arguments {
public:
  /// Throws LessonError when a quote is not closed.
  explicit Arguments(std::string_view text);

  /// The next plain word; throws when there is none, naming `what` was expected.
  std::string take(const std::string &what);
  /// Takes the next plain word if it is `word`.
  bool take_if(std::string_view word);
  /// True when no plain word is left.
  bool no_more_words() const { return words_.empty(); }
  /// Takes the option `key`, or gives `otherwise`.
  std::string option(std::string_view key, std::string otherwise);
  /// Takes the option `key`; throws when it is missing.
  std::string required_option(const std::string &key);
  /// Throws when a word or option is left that nobody took.
  void expect_end() const;

private:
  struct Option {
    std::string key;
    std::string value;
  };
  std::vector<std::string> words_;
  std::vector<Option> options_;
};

/// One pair of markers. The generated text is [body_begin, body_end) of the lesson.
struct Block {
  std::string name;
  std::string arguments; ///< the text after the name, not yet cut into words
  std::size_t line; ///< of the opening marker, from 1
  std::size_t body_begin;
  std::size_t body_end;
  bool in_prose; ///< `value`: the text stands inside a line
};

/// All blocks of a lesson, in order. Code fences and multi-line comments are passed over; a comment
/// that starts with `<!-- note:` is an ordinary one, every other one-line comment must be a marker.
/// Throws LessonError on a carriage return, an unknown or indented marker, one that is never
/// closed, or a closing marker without its opening one.
std::vector<Block> find_blocks(std::string_view text);

} // namespace tutor::lessons
