#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace emu {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

} // namespace

std::string format(const char *pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(static_cast<size_t>(std::max(length, 0)) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), pattern, again);
  va_end(again);
  text.pop_back();
  return text;
}

size_t width(const std::string &text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string clipped(const std::string &text, size_t columns) {
  if (width(text) <= columns)
    return text;
  std::string cut;
  size_t used = 0;
  for (char c : text) {
    used += !continues_character(c);
    if (used >= columns)
      break;
    cut += c;
  }
  return cut + "…";
}

std::string wrapped(const std::string &text, size_t columns, size_t indent) {
  std::string out, line, word;
  const auto flush = [&] {
    if (!line.empty() && width(line) + 1 + width(word) > columns) {
      out += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (line.empty() || line.find_first_not_of(' ') == std::string::npos ? "" : " ") + word;
    }
    word.clear();
  };
  const size_t start = std::min(text.find_first_not_of(' '), text.size());
  line = text.substr(0, start);
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == ' ')
      flush();
    else
      word += text[i];
  }
  flush();
  return out + line + "\n";
}

std::string xml_escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

std::string file_name(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

std::string place(const SourceLine &where) {
  return where.line > 0 ? file_name(where.file) + ":" + std::to_string(where.line) : "?";
}

std::string sizes_text(const unsigned (&sizes)[3]) {
  if (sizes[2] > 1)
    return format("%ux%ux%u", sizes[0], sizes[1], sizes[2]);
  return sizes[1] > 1 ? format("%ux%u", sizes[0], sizes[1]) : format("%u", sizes[0]);
}

std::string launch_text(const KernelReport &kernel) {
  return (kernel.part.empty() ? "" : kernel.part + " · ") + kernel.name + "<<<" +
         sizes_text(kernel.grid) + ", " + sizes_text(kernel.block) + ">>>";
}

std::string access_words(Access access) {
  std::string words = access_name(access);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string number_text(double value) {
  if (std::fabs(value - std::round(value)) < 0.005)
    return format("%.0f", value);
  return format(value < 10 ? "%.2f" : "%.1f", value);
}

TextStyle terminal_style() {
  TextStyle style;
  if (!isatty(STDOUT_FILENO))
    return style;
  const char *no_color = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  style.colours = (!no_color || !*no_color) && terminal && std::string(terminal) != "dumb";
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.columns = std::clamp<int>(size.ws_col, 80, 100);
  return style;
}

} // namespace emu
