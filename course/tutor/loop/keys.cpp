#include "loop/keys.hpp"

#include <string_view>
#include <utility>

namespace tutor {
namespace {

using Kind = Key::Kind;

/// Both modes in which terminals send the cursor keys, and what tmux and the Linux console send.
constexpr std::pair<std::string_view, Kind> sequences[] = {
    {"[A", Kind::up},
    {"OA", Kind::up},
    {"[B", Kind::down},
    {"OB", Kind::down},
    {"[5~", Kind::page_up},
    {"[6~", Kind::page_down},
    {"[H", Kind::home},
    {"OH", Kind::home},
    {"[1~", Kind::home},
    {"[F", Kind::end},
    {"OF", Kind::end},
    {"[4~", Kind::end},
};

/// The length of the escape sequence at the beginning of `bytes`, 0 while it is not complete.
std::size_t sequence_length(std::string_view bytes) {
  if (bytes.size() < 2) {
    return 0;
  }
  if (bytes[1] == 'O') {
    return bytes.size() < 3 ? 0 : 3;
  }
  if (bytes[1] != '[') {
    return 2; // Alt and a character
  }
  for (std::size_t i = 2; i < bytes.size(); ++i) {
    if (bytes[i] >= '@' && bytes[i] <= '~') {
      return i + 1;
    }
  }
  return 0;
}

std::optional<Key> plain_key(char byte) {
  switch (byte) {
  case '\r':
  case '\n':
    return Key{Kind::enter};
  case '\b':
  case 0x7f:
    return Key{Kind::backspace};
  default:
    return byte >= 0x20 && byte < 0x7f ? std::optional(Key::of(byte)) : std::nullopt;
  }
}

} // namespace

std::optional<Key> take_key(std::string &bytes, bool complete) {
  while (!bytes.empty()) {
    if (bytes.front() != 0x1b) {
      const std::optional<Key> key = plain_key(bytes.front());
      bytes.erase(0, 1);
      if (key) {
        return key;
      }
      continue;
    }
    const std::size_t length = sequence_length(bytes);
    if (length == 0) {
      if (!complete) {
        return std::nullopt;
      }
      bytes.clear();
      return Key{Kind::escape};
    }
    const std::string sequence = bytes.substr(1, length - 1);
    bytes.erase(0, length);
    for (const auto &[known, kind] : sequences) {
      if (sequence == known) {
        return Key{kind};
      }
    }
  }
  return std::nullopt;
}

} // namespace tutor
