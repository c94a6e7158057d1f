#include "lexer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

namespace rewriter {

namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool continues_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c));
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class Lexer {
public:
  explicit Lexer(std::string_view text) {
    source_.text = text;
    enter("", false);
  }

  Source run() {
    while (skip_blank())
      read();
    return std::move(source_);
  }

private:
  std::string_view text() const { return source_.text; }
  char at(size_t offset) const { return offset < text().size() ? text()[offset] : '\0'; }
  bool looking_at(std::string_view what) const {
    return text().substr(position_, what.size()) == what;
  }
  [[noreturn]] void fail(const std::string &what) const {
    throw SourceError(source_.files[static_cast<size_t>(file_)], line_, what);
  }

  void add(Kind kind, size_t end) {
    source_.tokens.push_back({kind, position_, end, line_, file_});
    for (; position_ < end; ++position_)
      line_ += text()[position_] == '\n';
  }

  // Past white space and directives; false at the end of the source.
  bool skip_blank() {
    while (position_ < text().size()) {
      const char c = text()[position_];
      if (c == '#' && line_start_) {
        read_directives();
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        line_ += c == '\n';
        line_start_ |= c == '\n';
        ++position_;
      } else {
        line_start_ = false;
        return true;
      }
    }
    return false;
  }

  // To the end of the line, and past headers of the system that begin there.
  void read_directives() {
    for (;;) {
      const size_t end = std::min(text().find('\n', position_), text().size());
      read_marker(text().substr(position_ + 1, end - position_ - 1));
      position_ = end;
      if (!source_.is_system[static_cast<size_t>(file_)])
        return;
      const size_t next = text().find("\n# ", end);
      if (next == std::string_view::npos) {
        position_ = text().size();
        return;
      }
      position_ = next + 1;
    }
  }

  // `# 12 "file" 1 3`: the next line is line 12 of that file, a header of the system that begins here.
  void read_marker(std::string_view words) {
    if (words.substr(0, 5) == "line ")
      words.remove_prefix(4);
    while (!words.empty() && words[0] == ' ')
      words.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
    if (error != std::errc())
      return; // a pragma
    line_ = number - 1;
    const size_t open = words.find('"'), close = words.rfind('"');
    if (open == std::string_view::npos || close == open)
      return;
    const std::string_view flags = words.substr(close + 1);
    const bool opens = flags.find('1') != std::string_view::npos;
    enter(std::string(words.substr(open + 1, close - open - 1)),
          opens && flags.find('3') != std::string_view::npos);
  }

  void enter(const std::string &name, bool of_system) {
    const auto [known, is_new] = numbers_.try_emplace(name, static_cast<int>(numbers_.size()));
    file_ = known->second;
    if (!is_new)
      return;
    source_.files.push_back(name);
    // A library of somebody's may be the system's to the compiler and hold CUDA all the same.
    source_.is_system.push_back(of_system && !ends_with(name, ".cuh") && !ends_with(name, ".cu"));
  }

  void read() {
    const char c = text()[position_];
    if (starts_name(c))
      read_name();
    else if (std::isdigit(static_cast<unsigned char>(c)) ||
             (c == '.' && std::isdigit(static_cast<unsigned char>(at(position_ + 1)))))
      add(Kind::number, end_of_number());
    else if (c == '"' || c == '\'')
      add(Kind::string, end_of_literal(position_));
    else
      read_punctuation();
  }

  void read_name() {
    size_t end = position_;
    while (continues_name(at(end)))
      ++end;
    const std::string_view name = text().substr(position_, end - position_);
    const bool prefix = name == "R" || name == "L" || name == "u" || name == "U" || name == "u8" ||
                        name == "LR" || name == "uR" || name == "UR" || name == "u8R";
    if (prefix && at(end) == '"' && name.back() == 'R')
      add(Kind::string, end_of_raw_string(end));
    else if (prefix && (at(end) == '"' || at(end) == '\''))
      add(Kind::string, end_of_literal(end));
    else
      add(Kind::identifier, end);
  }

  // A preprocessing number: 1'000.5e-3f, 0x1p+4.
  size_t end_of_number() const {
    size_t end = position_ + 1;
    for (;; ++end) {
      const char c = at(end), before = at(end - 1);
      const bool sign = (c == '+' || c == '-') &&
                        (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      if (!(continues_name(c) || c == '.' || (c == '\'' && continues_name(at(end + 1))) || sign))
        return end;
    }
  }

  size_t end_of_literal(size_t quote) const {
    size_t end = quote + 1;
    while (at(end) != text()[quote]) {
      if (end >= text().size() || text()[end] == '\n')
        fail("this literal does not end");
      end += text()[end] == '\\' ? 2 : 1;
    }
    return end + 1;
  }

  size_t end_of_raw_string(size_t quote) const {
    const size_t open = text().find('(', quote);
    if (open == std::string_view::npos)
      fail("this raw string does not begin");
    std::string close = ")";
    close += text().substr(quote + 1, open - quote - 1);
    close += '"';
    const size_t end = text().find(close, open);
    if (end == std::string_view::npos)
      fail("this raw string does not end");
    return end + close.size();
  }

  void read_punctuation() {
    if (looking_at("<<")) {
      size_t third = position_ + 2;
      while (at(third) == ' ' || at(third) == '\t')
        ++third;
      if (at(third) == '<' && at(third + 1) != '<' && at(third + 1) != '=' && !names_operator())
        return add(Kind::punctuation, third + 1);
      return add(Kind::punctuation, position_ + 2);
    }
    if (looking_at("::") || looking_at("->"))
      return add(Kind::punctuation, position_ + 2);
    add(Kind::punctuation, position_ + 1);
  }

  // `operator<< <T>`
  bool names_operator() const {
    if (source_.tokens.empty())
      return false;
    const Token &last = source_.tokens.back();
    return text().substr(last.begin, last.end - last.begin) == "operator";
  }

  Source source_;
  size_t position_ = 0;
  int line_ = 1;
  int file_ = 0;
  bool line_start_ = true;
  std::map<std::string, int> numbers_; // of files
};

} // namespace

Source tokenize(std::string_view text) { return Lexer(text).run(); }

std::string without_digraphs(std::string_view text) {
  std::string plain(text);
  const auto has = [&](const char *digraph) { return text.find(digraph) != text.npos; };
  if (!has("<%") && !has("%>") && !has("<:") && !has(":>"))
    return plain;
  std::vector<Token> tokens;
  try {
    tokens = tokenize(text).tokens;
  } catch (const SourceError &) { // who reads it next says what is wrong
  }
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Token &a = tokens[i], &b = tokens[i + 1];
    if (a.kind != Kind::punctuation || b.kind != Kind::punctuation || a.end != b.begin ||
        b.end != a.begin + 2)
      continue;
    const std::string_view pair = text.substr(a.begin, 2);
    for (const auto &[digraph, bracket] : {std::pair("<%", "{ "),
                                           std::pair("%>", " }"),
                                           std::pair("<:", "[ "),
                                           std::pair(":>", " ]")})
      if (pair == digraph)
        plain.replace(a.begin, 2, bracket);
  }
  return plain;
}

} // namespace rewriter
