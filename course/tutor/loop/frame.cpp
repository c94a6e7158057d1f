#include "loop/frame.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tutor {
namespace {

/// The bytes of the UTF-8 character that `text` begins with; a broken one counts as one byte.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return std::min(length, text.size());
}

/// East Asian characters and emoji take two columns, by three or more bytes of UTF-8.
std::size_t character_columns(std::string_view character) {
  if (character.size() < 3) {
    return 1;
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(character[i]) & 0x3FU; };
  const unsigned code = character.size() == 3 ? (static_cast<unsigned>(character[0]) & 0xFU) << 12 |
                                                    byte(1) << 6 | byte(2)
                                              : 0x1F300U;
  const bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
                    (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
                    (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
                    code >= 0x1F300;
  return wide ? 2 : 1;
}

/// What a terminal calls a style.
int code_of(Style style) {
  constexpr int codes[] = {0, 1, 2, 31, 32, 33, 7, 36};
  return codes[static_cast<int>(style)];
}

/// Breaks one line of prose.
void wrap_line(std::string_view line,
               std::size_t columns,
               std::size_t indent,
               std::vector<std::string> &out) {
  if (indent + columns_of(line) <= columns) { // also a picture's, which may begin far to the right
    out.push_back(std::string(indent, ' ').append(line));
    return;
  }
  const std::size_t own_indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string margin(std::min(indent + own_indent, columns / 2), ' ');
  line.remove_prefix(own_indent);
  std::string current = margin;
  bool empty = true;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (!empty && columns_of(current) + 1 + columns_of(word) > columns) {
      out.push_back(std::exchange(current, margin));
      empty = true;
    }
    current += empty ? "" : " ";
    while (columns_of(current) + columns_of(word) > columns) {
      const std::string_view part = clip(word, columns - columns_of(current));
      out.push_back(current.append(part));
      word.remove_prefix(part.size());
      current = margin;
    }
    current += word;
    empty = false;
  }
  out.push_back(std::move(current));
}

} // namespace

std::string without_controls(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 0x1b && i + 1 < text.size() && text[i + 1] == '[') { // the whole of an escape sequence
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~'); ++i) {
      }
    } else if (c == '\t') {
      clean += "  ";
    } else if (c == '\n' || (c >= 0x20 && c != 0x7f)) {
      clean += text[i];
    }
  }
  return clean;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    columns += character_columns(text.substr(0, length));
    text.remove_prefix(length);
  }
  return columns;
}

std::string_view clip(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0, used = 0;
  while (bytes < text.size()) {
    const std::size_t length = character_length(text.substr(bytes));
    used += character_columns(text.substr(bytes, length));
    if (used > columns) {
      break;
    }
    bytes += length;
  }
  return text.substr(0, bytes);
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t indent) {
  columns = std::max<std::size_t>(columns, 4); // room for a character of any kind
  const std::string clean = without_controls(text);
  std::string_view rest = clean;
  while (rest.ends_with('\n')) {
    rest.remove_suffix(1);
  }
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = rest.find('\n');
    wrap_line(rest.substr(0, end), columns, indent, lines);
    if (end == std::string_view::npos) {
      return lines;
    }
    rest.remove_prefix(end + 1);
  }
}

std::string reflow(std::string_view text) {
  std::string out;
  bool joins = false; // whether the line before wants another one behind it
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool prose = !line.empty() && line.front() != ' ';
    if (!out.empty()) {
      out += joins && prose ? ' ' : '\n';
    }
    out += line;
    joins = prose;
  }
  return out;
}

void append(Lines &lines, const Lines &more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

Lines paragraph(std::string_view text, std::size_t columns, std::size_t indent, Style style) {
  Lines lines;
  for (std::string &line : wrap(text, columns, indent)) {
    lines.emplace_back(std::move(line), style);
  }
  return lines;
}

std::string shortened_path(const std::string &path, std::size_t columns) {
  if (columns_of(path) <= columns || columns < 8) {
    return path;
  }
  const std::string_view head = clip(path, columns / 3);
  std::string_view tail = path;
  while (columns_of(tail) > columns - columns_of(head) - 1) {
    tail.remove_prefix(character_length(tail));
  }
  return fmt::format("{}…{}", head, tail);
}

std::string to_terminal(const Line &line, std::size_t columns, bool colours) {
  std::string out;
  std::size_t used = 0;
  for (const Span &span : line.spans) {
    std::string clean = without_controls(span.text);
    std::erase(clean, '\n'); // it would move the cursor off its line
    const std::string_view text = clip(clean, columns - used);
    used += columns_of(text);
    out += colours && span.style != Style::plain
               ? fmt::format("\x1b[{}m{}\x1b[0m", code_of(span.style), text)
               : std::string(text);
    if (text.size() < clean.size()) {
      break;
    }
  }
  return out;
}

} // namespace tutor
