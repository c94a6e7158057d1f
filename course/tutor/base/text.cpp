#include "base/text.hpp"

#include <cctype>
#include <charconv>
#include <iterator>
#include <sstream>

namespace tutor {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

Names names_in(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    parts.emplace_back(text.substr(begin, end - begin));
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char *digits = text.data() + i + 2;
    if (text.substr(i).starts_with("\\x") && text.size() - i >= 4 &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      bytes += static_cast<char>(byte);
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

std::string html_escaped(std::string_view text) {
  std::string escaped = replaced(std::string(text), "&", "&amp;");
  escaped = replaced(std::move(escaped), "<", "&lt;");
  return replaced(replaced(std::move(escaped), ">", "&gt;"), "\"", "&quot;");
}

std::string without_mark(std::string text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

} // namespace tutor
