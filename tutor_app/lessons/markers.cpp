#include "markers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace tutor::lessons {
namespace {

constexpr std::array<std::string_view, 14> block_names = {"chapters",
                                                          "chart",
                                                          "compare",
                                                          "diff",
                                                          "evidence",
                                                          "exercises",
                                                          "explore",
                                                          "glossary",
                                                          "idea",
                                                          "output",
                                                          "predictions",
                                                          "results",
                                                          "snippet",
                                                          "value"};
constexpr std::string_view comment_open = "<!--";
constexpr std::string_view comment_close = "-->";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

/// Length of a leading `key=`, without the sign; 0 when the word is no option.
std::size_t option_key_length(std::string_view word) {
  std::size_t length = 0;
  while (length < word.size() && std::islower(static_cast<unsigned char>(word[length])))
    ++length;
  return length < word.size() && word[length] == '=' ? length : 0;
}

/// Takes one word off the front of `text`: quoted stretches may hold spaces.
std::string take_word(std::string_view &text) {
  std::string word;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || !is_space(text[i])); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"')
      word += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
    else
      word += text[i];
  }
  if (quoted)
    throw LessonError(fmt::format("a quote is not closed in '{}': add the missing \"", text));
  text.remove_prefix(i);
  return word;
}

/// One comment that stands on a single line, cut into name and arguments.
struct Marker {
  std::string name;
  std::string arguments;
};

Marker parse_marker(std::string_view comment) {
  const std::string_view inside = trimmed(comment.substr(
      comment_open.size(), comment.size() - comment_open.size() - comment_close.size()));
  const auto end = std::find_if(inside.begin(), inside.end(), is_space);
  const auto length = static_cast<std::size_t>(end - inside.begin());
  return {std::string(inside.substr(0, length)), std::string(trimmed(inside.substr(length)))};
}

void require_known(const std::string &name, std::size_t line) {
  if (std::find(block_names.begin(), block_names.end(), name) != block_names.end())
    return;
  throw LessonError(fmt::format("unknown marker '{}': use one of {}, or start an ordinary comment "
                                "with '<!-- note:'",
                                name,
                                fmt::join(block_names, ", ")),
                    line);
}

LessonError never_closed(const std::string &name, std::size_t line) {
  return LessonError(fmt::format("'{}' is never closed: add <!-- /{} -->", name, name), line);
}

/// Walks over a lesson line by line and collects its blocks.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Block> scan() {
    const std::size_t carriage_return = text_.find('\r');
    if (carriage_return != std::string_view::npos) {
      const auto before = text_.substr(0, carriage_return);
      throw LessonError(
          "carriage return found: save the file with plain LF line ends",
          1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')));
    }
    while (next_line())
      scan_line();
    return std::move(blocks_);
  }

private:
  bool next_line() {
    begin_ = next_;
    if (begin_ >= text_.size())
      return false;
    const std::size_t newline = text_.find('\n', begin_);
    next_ = newline == std::string_view::npos ? text_.size() : newline + 1;
    line_ = text_.substr(begin_, next_ - begin_);
    ++number_;
    return true;
  }

  void scan_line() {
    const std::string_view content = trimmed(line_);
    if (content.starts_with("```") || content.starts_with("~~~"))
      skip_fence(content.substr(0, 3));
    else if (content.starts_with("<!-- value "))
      scan_prose();
    else if (content.starts_with(comment_open))
      scan_comment(content);
    else
      scan_prose();
  }

  void skip_fence(std::string_view fence) {
    const std::size_t opened = number_;
    while (next_line())
      if (trimmed(line_).starts_with(fence))
        return;
    throw LessonError(fmt::format("code fence is never closed: add {}", fence), opened);
  }

  void scan_comment(std::string_view content) {
    if (content.find(comment_close) == std::string_view::npos) {
      const std::size_t opened = number_;
      while (next_line())
        if (line_.find(comment_close) != std::string_view::npos)
          return;
      throw LessonError("comment is never closed: add -->", opened);
    }
    if (content.starts_with("<!-- note:"))
      return;
    const Marker marker = parse_marker(content.substr(0, content.find(comment_close) + 3));
    if (marker.name.starts_with('/'))
      throw LessonError(
          fmt::format("'{}' closes nothing: remove it, or add its opening marker", marker.name),
          number_);
    require_known(marker.name, number_);
    if (line_.front() != '<' || !content.ends_with(comment_close))
      throw LessonError(
          fmt::format("marker '{}' must stand alone at the start of its line", marker.name),
          number_);
    scan_body(marker);
  }

  void scan_body(const Marker &marker) {
    Block block{marker.name, marker.arguments, number_, next_, 0, false};
    const std::string closing = fmt::format("<!-- /{} -->", marker.name);
    while (next_line()) {
      if (trimmed(line_) == closing) {
        block.body_end = begin_;
        blocks_.push_back(std::move(block));
        return;
      }
      for (std::string_view name : block_names)
        if (line_.starts_with(fmt::format("<!-- {} ", name)))
          throw never_closed(block.name, block.line);
    }
    throw never_closed(block.name, block.line);
  }

  /// `value` markers inside a line; those between backquotes are only talked about.
  void scan_prose() {
    constexpr std::string_view opening = "<!-- value ", closing = "<!-- /value -->";
    std::size_t from = 0;
    while (true) {
      const std::size_t open = line_.find(opening, from);
      const std::size_t stray = line_.find(closing, from);
      if (is_quoted(std::min(open, stray))) {
        from = std::min(open, stray) + 1;
        continue;
      }
      if (stray < open)
        throw LessonError("'/value' closes nothing: remove it, or add its opening marker", number_);
      if (open == std::string_view::npos)
        return;
      const std::size_t body = line_.find(comment_close, open);
      const std::size_t close = line_.find(closing, open);
      if (body == std::string_view::npos || close == std::string_view::npos)
        throw LessonError("'value' is never closed: add <!-- /value --> on the same line", number_);
      const Marker marker = parse_marker(line_.substr(open, body + comment_close.size() - open));
      blocks_.push_back({marker.name,
                         marker.arguments,
                         number_,
                         begin_ + body + comment_close.size(),
                         begin_ + close,
                         true});
      from = close + closing.size();
    }
  }

  bool is_quoted(std::size_t column) const {
    return column != std::string_view::npos &&
           std::count(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(column), '`') %
                   2 ==
               1;
  }

  std::string_view text_;
  std::string_view line_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
  std::size_t number_ = 0;
  std::vector<Block> blocks_;
};

} // namespace

Arguments::Arguments(std::string_view text) {
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t key_length = option_key_length(text);
    const std::string word = take_word(text);
    if (key_length > 0)
      options_.push_back({word.substr(0, key_length), word.substr(key_length + 1)});
    else
      words_.push_back(word);
  }
}

std::string Arguments::take(const std::string &what) {
  if (words_.empty())
    throw LessonError(fmt::format("marker lacks {}", what));
  std::string word = words_.front();
  words_.erase(words_.begin());
  return word;
}

bool Arguments::take_if(std::string_view word) {
  if (words_.empty() || words_.front() != word)
    return false;
  words_.erase(words_.begin());
  return true;
}

std::string Arguments::option(std::string_view key, std::string otherwise) {
  const auto found = std::find_if(
      options_.begin(), options_.end(), [&](const Option &option) { return option.key == key; });
  if (found == options_.end())
    return otherwise;
  std::string value = found->value;
  options_.erase(found);
  return value;
}

std::string Arguments::required_option(const std::string &key) {
  std::string value = option(key, "");
  if (value.empty())
    throw LessonError(fmt::format("marker lacks {}=…", key));
  return value;
}

void Arguments::expect_end() const {
  if (!words_.empty())
    throw LessonError(fmt::format("marker has an unexpected word '{}': remove it", words_.front()));
  if (!options_.empty())
    throw LessonError(
        fmt::format("marker has an unknown option '{}=': remove it", options_.front().key));
}

std::vector<Block> find_blocks(std::string_view text) { return Scanner(text).scan(); }

} // namespace tutor::lessons
