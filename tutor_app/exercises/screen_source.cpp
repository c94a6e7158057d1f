#include "exercises/screen.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace tutor {
namespace {

/// The source without comments and spliced lines; what stands between quotes stays in the lines of
/// directives and is left out elsewhere. Line breaks stay, so lines keep their numbers.
class SourceText {
public:
  explicit SourceText(std::string_view source) : source_(source) {
    while (at_ < source_.size()) {
      step();
    }
  }
  const std::string &text() const { return text_; }

private:
  bool ahead(std::string_view word) const { return source_.substr(at_).starts_with(word); }

  void skip_to(std::string_view end) {
    std::size_t found = source_.find(end, at_);
    std::size_t stop = found == std::string_view::npos ? source_.size() : found + end.size();
    for (; at_ < stop; ++at_) {
      text_.append(source_[at_] == '\n', '\n');
    }
  }

  void quoted(char quote) {
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) {
      at_ += source_[at_] == '\\';
    }
    at_ += at_ < source_.size() && source_[at_] == quote;
    text_ += "\"\"";
  }

  void raw_string() {
    std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = source_.size();
      return;
    }
    std::string end = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    skip_to(end);
    text_ += "\"\"";
  }

  bool in_directive() const {
    std::size_t begin = text_.rfind('\n');
    begin = text_.find_first_not_of(" \t", begin == std::string::npos ? 0 : begin + 1);
    return begin != std::string::npos && (text_[begin] == '#' || text_.substr(begin, 2) == "%:");
  }

  void step() {
    if (ahead("\\\n")) {
      at_ += 2;
    } else if (ahead("//")) {
      while (at_ < source_.size() && source_[at_] != '\n') {
        at_ += ahead("\\\n") ? 2 : 1;
      }
    } else if (ahead("/*")) {
      at_ += 2;
      skip_to("*/");
      text_ += ' ';
    } else if (ahead("R\"") && !in_directive()) {
      raw_string();
    } else if ((source_[at_] == '"' || source_[at_] == '\'') && !in_directive()) {
      // 1'000 has no quote, but a separator of digits.
      bool digit =
          source_[at_] == '\'' && !text_.empty() && std::isxdigit((unsigned char)text_.back());
      if (digit) {
        ++at_;
      } else {
        quoted(source_[at_]);
      }
    } else {
      text_ += source_[at_++];
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string text_;
};

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The words of a line: names, and each other character by itself.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_word_part(line[end])) {
      ++end;
    }
    end = std::max(end, at + 1);
    if (line[at] != ' ' && line[at] != '\t') {
      words.emplace_back(line.substr(at, end - at));
    }
    at = end;
  }
  return words;
}

std::string screen_include(std::string_view operand) {
  if (operand.empty() || (operand[0] != '<' && operand[0] != '"')) {
    return "an #include names its file between \" or < and >";
  }
  bool leads_elsewhere =
      operand.substr(1, 1) == "/" || operand.find("..") != std::string_view::npos;
  return leads_elsewhere ? "an #include must not lead out of this folder" : "";
}

std::string screen_directive(std::string_view line) {
  std::vector<std::string> words = words_of(line);
  std::size_t name = words[0] == "%" ? 2 : 1;
  if (words.size() <= name) {
    return "";
  }
  const std::string &directive = words[name];
  if (directive == "include" || directive == "include_next" || directive == "import" ||
      directive == "embed") {
    std::size_t operand = line.find(directive) + directive.size();
    operand = line.find_first_not_of(" \t", operand);
    return screen_include(operand == std::string_view::npos ? "" : line.substr(operand));
  }
  return "";
}

} // namespace

std::optional<Forbidden> screen_source(std::string_view source) {
  const std::string text = SourceText(source).text();
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view whole = std::string_view(text).substr(begin, end - begin);
    std::size_t first = whole.find_first_not_of(" \t");
    bool directive =
        first != std::string_view::npos && (whole[first] == '#' || whole.substr(first, 2) == "%:");
    if (directive) {
      if (std::string what = screen_directive(whole.substr(first)); !what.empty()) {
        return Forbidden{line, what};
      }
    }
    for (const std::string &word : words_of(whole)) {
      if (word == "asm" || word == "__asm" || word == "__asm__") {
        return Forbidden{line, "assembly: no exercise needs that"};
      }
    }
    begin = end + 1;
  }
  return std::nullopt;
}

} // namespace tutor
