#pragma once

#include <optional>
#include <string>

/// \file
/// What a learner presses.

namespace tutor {

/// A key: a character, or one of those that have a name.
struct Key {
  enum class Kind { character, enter, escape, backspace, up, down, page_up, page_down, home, end };
  Kind kind = Kind::character;
  char character = 0; ///< of kind character

  static Key of(char c) { return {Kind::character, c}; }
  bool is(char c) const { return kind == Kind::character && character == c; }
};

/// Takes the first key off the bytes that a terminal sent. Nothing: there is none yet. Sequences that
/// name no key of ours are dropped.
/// \param complete  no more bytes will follow soon: a lone escape is the escape key
std::optional<Key> take_key(std::string &bytes, bool complete);

} // namespace tutor
