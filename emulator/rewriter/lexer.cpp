#include "lexer.hpp"

#include <cctype>

namespace rewriter {

namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Lexer {
public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (skip_blank())
      read();
    return std::move(tokens_);
  }

private:
  char at(size_t offset) const { return offset < source_.size() ? source_[offset] : '\0'; }
  bool looking_at(std::string_view text) const {
    return source_.substr(position_, text.size()) == text;
  }

  void advance_to(size_t end) {
    for (; position_ < end && position_ < source_.size(); ++position_)
      if (source_[position_] == '\n')
        ++line_;
  }

  void add(Kind kind, size_t end) {
    const size_t begin = position_;
    const int line = line_;
    advance_to(end);
    tokens_.push_back({kind, begin, end, line, directive_});
  }

  // Past white space, comments and line continuations; false at the end of the source. A line
  // that ends outside a comment ends a directive.
  bool skip_blank() {
    for (;;) {
      if (position_ >= source_.size())
        return false;
      const char c = source_[position_];
      if (looking_at("//")) {
        size_t end = position_;
        while (end < source_.size() && (source_[end] != '\n' || at(end - 1) == '\\'))
          ++end;
        advance_to(end);
      } else if (looking_at("/*")) {
        const size_t end = source_.find("*/", position_ + 2);
        if (end == std::string_view::npos)
          throw SourceError(line_, "this comment does not end");
        advance_to(end + 2);
      } else if (c == '\\' && at(position_ + 1) == '\n') {
        advance_to(position_ + 2);
      } else if (c == '\\' && at(position_ + 1) == '\r' && at(position_ + 2) == '\n') {
        advance_to(position_ + 3);
      } else if (c == '\n') {
        directive_ = 0;
        line_start_ = true;
        advance_to(position_ + 1);
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        ++position_;
      } else {
        return true;
      }
    }
  }

  void read() {
    const char c = source_[position_];
    const bool first = line_start_;
    line_start_ = false;
    if (first && c == '#')
      directive_ = ++directives_;
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
    const std::string_view name = source_.substr(position_, end - position_);
    const bool prefix = name == "R" || name == "L" || name == "u" || name == "U" || name == "u8" ||
                        name == "LR" || name == "uR" || name == "UR" || name == "u8R";
    if (prefix && at(end) == '"' && name.back() == 'R') {
      add(Kind::string, end_of_raw_string(end));
    } else if (prefix && (at(end) == '"' || at(end) == '\'')) {
      add(Kind::string, end_of_literal(end));
    } else if (name == "include" && directive_ && is_hash(tokens_.back())) {
      add(Kind::identifier, end);
      read_include();
    } else {
      add(Kind::identifier, end);
    }
  }

  bool is_hash(const Token &token) const {
    return token.kind == Kind::punctuation && source_[token.begin] == '#';
  }

  void read_include() {
    if (!skip_blank() || !directive_)
      return;
    const char close = source_[position_] == '<' ? '>' : '"';
    if (source_[position_] != '<' && source_[position_] != '"')
      return; // a macro names the file
    const size_t end = source_.find(close, position_ + 1);
    if (end == std::string_view::npos ||
        source_.substr(position_, end - position_).find('\n') != std::string_view::npos)
      throw SourceError(line_, "this #include has no closing delimiter");
    add(Kind::include, end + 1);
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
    while (at(end) != source_[quote]) {
      if (end >= source_.size() || source_[end] == '\n')
        return directive_ ? end : throw SourceError(line_, "this literal does not end");
      end += source_[end] == '\\' ? 2 : 1;
    }
    return end + 1;
  }

  size_t end_of_raw_string(size_t quote) const {
    const size_t open = source_.find('(', quote);
    if (open == std::string_view::npos)
      throw SourceError(line_, "this raw string does not begin");
    std::string close = ")";
    close += source_.substr(quote + 1, open - quote - 1);
    close += '"';
    const size_t end = source_.find(close, open);
    if (end == std::string_view::npos)
      throw SourceError(line_, "this raw string does not end");
    return end + close.size();
  }

  void read_punctuation() {
    if (looking_at("<<")) {
      size_t third = position_ + 2;
      while (at(third) == ' ' || at(third) == '\t')
        ++third;
      if (at(third) == '<' && at(third + 1) != '<' && at(third + 1) != '=')
        return add(Kind::punctuation, third + 1);
      return add(Kind::punctuation, position_ + 2);
    }
    if (looking_at("::") || looking_at("->"))
      return add(Kind::punctuation, position_ + 2);
    add(Kind::punctuation, position_ + 1);
  }

  std::string_view source_;
  size_t position_ = 0;
  int line_ = 1;
  bool line_start_ = true;
  int directive_ = 0;
  int directives_ = 0;
  std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

} // namespace rewriter
