#include "grade/text.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

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

/// The code point of a whole character.
unsigned code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  unsigned code = character.size() == 1 ? lead : lead & (0x7fu >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) {
    code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3f);
  }
  return code;
}

/// Characters that take no place, or that turn others around (Unicode's Default_Ignorable_Code_Point).
bool is_invisible(unsigned code) {
  constexpr std::pair<unsigned, unsigned> ranges[]{{0xad, 0xad},
                                                   {0x34f, 0x34f},
                                                   {0x61c, 0x61c},
                                                   {0x115f, 0x1160},
                                                   {0x17b4, 0x17b5},
                                                   {0x180b, 0x180f},
                                                   {0x200b, 0x200f},
                                                   {0x2028, 0x202e},
                                                   {0x2060, 0x206f},
                                                   {0x3164, 0x3164},
                                                   {0xfe00, 0xfe0f},
                                                   {0xfeff, 0xfeff},
                                                   {0xffa0, 0xffa0},
                                                   {0xfff0, 0xfffb},
                                                   {0xe0000, 0xe0fff}};
  return std::ranges::any_of(
      ranges, [&](const auto &range) { return range.first <= code && code <= range.second; });
}

} // namespace

std::string printable(std::string_view text, bool lines) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    const bool layout = lines && (c == '\n' || c == '\t');
    const bool control = (static_cast<unsigned char>(c) < 0x20 && !layout) || c == 0x7f;
    const std::size_t length = control ? 0 : character_length(text);
    const std::string_view one = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || (length > 1 && is_invisible(code_point(one)))) {
      for (const char byte : one) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    } else {
      result += one;
    }
    text.remove_prefix(one.size());
  }
  return result;
}

std::string shown_name(const std::string &name) {
  return printable(replaced(name, "\\x", "\\x5cx"));
}

std::string shortened(const std::string &text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end; // not within a character
  }
  return text.substr(0, end) + "…";
}

std::string looks_like(std::string_view name) {
  static const std::pair<std::string_view, std::string_view> alike[]{
      {"\u00a0", " "}, {"\u2002", " "}, {"\u2003", " "}, {"\u2009", " "}, {"\u202f", " "},
      {"\u3000", " "}, {"А", "A"},      {"Α", "A"},      {"В", "B"},      {"Β", "B"},
      {"С", "C"},      {"Е", "E"},      {"Ε", "E"},      {"Н", "H"},      {"Η", "H"},
      {"І", "I"},      {"Ι", "I"},      {"Ј", "J"},      {"К", "K"},      {"Κ", "K"},
      {"М", "M"},      {"Μ", "M"},      {"Ν", "N"},      {"О", "O"},      {"Ο", "O"},
      {"Р", "P"},      {"Ρ", "P"},      {"Ѕ", "S"},      {"Т", "T"},      {"Τ", "T"},
      {"Х", "X"},      {"Χ", "X"},      {"Υ", "Y"},      {"Ζ", "Z"},      {"а", "a"},
      {"с", "c"},      {"е", "e"},      {"і", "i"},      {"ј", "j"},      {"о", "o"},
      {"ο", "o"},      {"р", "p"},      {"ѕ", "s"},      {"ν", "v"},      {"х", "x"},
      {"у", "y"}};
  std::string text = printable(name);
  for (const auto &[letter, twin] : alike) {
    text = replaced(std::move(text), letter, twin);
  }
  std::string words;
  for (const std::string &word : split(text, ' ')) {
    words += word.empty() ? "" : " " + word;
  }
  return words;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace tutor::grading
