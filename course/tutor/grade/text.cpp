#include "grade/text.hpp"

#include <fmt/format.h>

namespace tutor::grading {
namespace {

/// Bytes of the UTF-8 character at the beginning of `text`; 0 where there is none (RFC 3629).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool too_large = lead == 0xf4 && byte(1) >= 0x90;
  const bool no_character = lead == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe; // U+FFFE, U+FFFF
  const bool control = lead == 0xc2 && byte(1) < 0xa0; // U+0080 to U+009F
  return overlong || surrogate || too_large || no_character || control ? 0 : length;
}

} // namespace

std::string printable(std::string_view text, bool lines) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    const bool layout = lines && (c == '\n' || c == '\t');
    const bool control = (static_cast<unsigned char>(c) < 0x20 && !layout) || c == 0x7f;
    const std::size_t length = control ? 0 : character_length(text);
    result += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace tutor::grading
