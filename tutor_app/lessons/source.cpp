#include "source.hpp"

#include "base/diff.hpp"
#include "markers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <regex>
#include <vector>

namespace tutor::lessons {
namespace {

using Lines = std::vector<std::string>;

bool is_blank(const std::string &line) {
  return line.find_first_not_of(" \t\n") == std::string::npos;
}

/// Joins lines, without blank ones at either end and with their common indentation taken away.
std::string tidy(Lines lines) {
  while (!lines.empty() && is_blank(lines.back()))
    lines.pop_back();
  lines.erase(lines.begin(), std::find_if_not(lines.begin(), lines.end(), is_blank));
  std::size_t indentation = std::string::npos;
  for (const std::string &line : lines)
    if (!is_blank(line))
      indentation = std::min(indentation, line.find_first_not_of(' '));
  std::string text;
  for (const std::string &line : lines)
    text += is_blank(line) ? "\n" : line.substr(indentation);
  if (!text.empty() && text.back() != '\n')
    text += '\n';
  return text;
}

std::regex compile_regex(const std::string &pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error &) {
    throw LessonError(fmt::format("'{}' is no regular expression: correct it", pattern));
  }
}

Lines::const_iterator
find_line(Lines::const_iterator first, Lines::const_iterator last, const std::string &pattern) {
  const std::regex expression = compile_regex(pattern);
  const auto found = std::find_if(
      first, last, [&](const std::string &line) { return std::regex_search(line, expression); });
  if (found == last)
    throw LessonError(fmt::format("no line matches \"{}\": name one that is there", pattern));
  return found;
}

/// The source with comments and literals blanked out, so that brackets and names can be counted.
std::string blank_comments_and_literals(std::string_view source) {
  std::string code(source);
  const auto blank = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < std::min(last, code.size()); ++i)
      if (code[i] != '\n')
        code[i] = ' ';
  };
  std::size_t i = 0;
  while (i < source.size()) {
    std::size_t end = i + 1;
    if (source.substr(i).starts_with("//")) {
      end = std::min(source.find('\n', i), source.size());
      blank(i, end);
    } else if (source.substr(i).starts_with("/*")) {
      const std::size_t close = source.find("*/", i + 2);
      end = close == std::string_view::npos ? source.size() : close + 2;
      blank(i, end);
    } else if (source[i] == '"' ||
               (source[i] == '\'' && (i == 0 || !std::isalnum(source[i - 1])))) {
      while (end < source.size() && source[end] != source[i] && source[end] != '\n')
        end += source[end] == '\\' ? 2 : 1;
      blank(i, ++end);
    }
    i = end;
  }
  return code;
}

/// Position just after the bracket that closes the one at `open`; npos when it never closes.
std::size_t after_closing(const std::string &code, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == opening;
    depth -= code[i] == closing;
    if (depth == 0)
      return i + 1;
  }
  return std::string::npos;
}

std::size_t line_of(std::string_view text, std::size_t position) {
  return static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

/// Index of the line where a definition's comment, template line or return type starts.
std::size_t first_line_of_definition(const Lines &code, const Lines &source, std::size_t line) {
  while (line > 0) {
    const std::string &above = code[line - 1];
    const std::size_t last = above.find_last_not_of(" \t\n");
    const bool comment = is_blank(above) && !is_blank(source[line - 1]);
    const bool part = last != std::string::npos && above.find('#') == std::string::npos &&
                      std::string_view(";{}").find(above[last]) == std::string_view::npos;
    if (!comment && !part)
      break;
    --line;
  }
  return line;
}

} // namespace

Idea read_idea(std::string_view source) {
  Idea idea;
  const std::array<std::pair<std::string_view, std::string *>, 3> parts = {
      {{"Was:", &idea.was}, {"Now:", &idea.now}, {"Watch:", &idea.watch}}};
  std::string *current = nullptr;
  for (const std::string &line : split_lines(source)) {
    if (!line.starts_with("//"))
      break;
    std::string text = line.substr(2);
    for (const auto &[title, part] : parts) {
      const std::size_t start = text.find_first_not_of(' ');
      if (start != std::string::npos && text.compare(start, title.size(), title) == 0) {
        current = part;
        text.erase(0, start + title.size());
      }
    }
    if (current == nullptr || is_blank(text))
      continue;
    const std::size_t begin = text.find_first_not_of(' ');
    const std::size_t end = text.find_last_not_of(" \n");
    *current += (current->empty() ? "" : " ") + text.substr(begin, end - begin + 1);
  }
  for (const auto &[title, part] : parts)
    if (part->empty())
      throw LessonError(fmt::format("the file's opening comment lacks '// {} …': add it", title));
  return idea;
}

std::size_t opening_comment_lines(std::string_view source) {
  const Lines lines = split_lines(source);
  const auto end = std::find_if_not(
      lines.begin(), lines.end(), [](const std::string &line) { return line.starts_with("//"); });
  return static_cast<std::size_t>(end - lines.begin());
}

std::string whole_code(std::string_view source) {
  Lines lines = split_lines(source);
  const auto is_frame = [](const std::string &line) {
    return is_blank(line) || line.starts_with("//") || line.starts_with("#pragma once") ||
           line.starts_with("#include");
  };
  // A comment that touches the code belongs to it, so the frame ends at its last blank line.
  auto body = std::find_if_not(lines.begin(), lines.end(), is_frame);
  if (body == lines.end())
    throw LessonError("the file holds no code");
  while (body != lines.begin() && (body - 1)->starts_with("//"))
    --body;
  return tidy(Lines(body, lines.end()));
}

std::string code_between(std::string_view source, const std::string &from, const std::string &to) {
  const Lines lines = split_lines(source);
  const auto first = find_line(lines.begin(), lines.end(), from);
  const auto last = find_line(first, lines.end(), to);
  return tidy(Lines(first, last + 1));
}

std::string code_of_function(std::string_view source, const std::string &name) {
  const std::string code = blank_comments_and_literals(source);
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    if (at > 0 && is_word(code[at - 1]))
      continue;
    const std::size_t open = code.find_first_not_of(" \n", at + name.size());
    if (open == std::string::npos || code[open] != '(')
      continue;
    const std::size_t after = after_closing(code, open, '(', ')');
    const std::size_t brace =
        after == std::string::npos ? after : code.find_first_of("{;,)=<", after);
    if (brace == std::string::npos || code[brace] != '{')
      continue;
    const std::size_t end = after_closing(code, brace, '{', '}');
    if (end == std::string::npos)
      throw LessonError(fmt::format("the body of function '{}' never ends", name));
    const Lines lines = split_lines(source);
    const std::size_t first = first_line_of_definition(split_lines(code), lines, line_of(code, at));
    return tidy(Lines(lines.begin() + static_cast<std::ptrdiff_t>(first),
                      lines.begin() + static_cast<std::ptrdiff_t>(line_of(code, end - 1) + 1)));
  }
  throw LessonError(fmt::format("no function '{}' is defined there: name one that is", name));
}

} // namespace tutor::lessons
