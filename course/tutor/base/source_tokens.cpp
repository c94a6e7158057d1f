#include "base/source_tokens.hpp"

#include <array>
#include <cctype>
#include <utility>

namespace tutor {
namespace {

bool is_word_part(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

class Reader {
public:
  explicit Reader(std::string_view source) {
    int line = 1;
    for (std::size_t i = 0; i < source.size(); ++i) {
      // A backslash, perhaps blanks, and the end of the line: the line goes on. So g++ has it.
      if (source[i] == '\\') {
        std::size_t end = source.find_first_not_of(" \t\r\f\v", i + 1);
        if (end != std::string_view::npos && source[end] == '\n') {
          ++line;
          i = end;
          continue;
        }
      }
      text_ += source[i];
      lines_.push_back(line);
      line += source[i] == '\n';
    }
    lines_.push_back(line);
  }

  std::vector<SourceToken> read() {
    while (at_ < text_.size()) {
      step();
    }
    return std::move(tokens_);
  }

private:
  char ahead(std::size_t by = 0) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }

  void add(SourceToken::Kind kind, std::size_t end) {
    const std::string text = text_.substr(at_, end - at_);
    const bool hash = first_ && (text == "#" || text == "%:");
    tokens_.push_back({kind, text, lines_[at_], first_, hash});
    first_ = false;
    at_ = end;
  }

  void step() {
    const char c = ahead();
    if (c == '\n') {
      first_ = true;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (c == '/' && ahead(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && ahead(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string::npos ? text_.size() : end + 2;
    } else if (c == '"' || c == '\'' || (c == '<' && after_include())) {
      quoted(c == '<' ? '>' : c);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(ahead(1))) != 0)) {
      number();
    } else if (is_word_part(c)) {
      word();
    } else {
      sign();
    }
  }

  /// Digraphs are what they stand for: <: is [, %: is #. In vector<::T> there is none.
  void sign() {
    static constexpr std::array<std::pair<std::string_view, const char *>, 5> digraphs{
        {{"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}, {"%:", "#"}}};
    const std::string_view rest = std::string_view(text_).substr(at_);
    const bool of_global_scope = rest.starts_with("<::") && ahead(3) != ':' && ahead(3) != '>';
    for (const auto &[written, meant] : digraphs) {
      if (rest.starts_with(written) && !of_global_scope) {
        add(SourceToken::Kind::sign, at_ + 2);
        tokens_.back().text = meant;
        return;
      }
    }
    add(SourceToken::Kind::sign, at_ + 1);
  }

  bool after_include() const {
    const std::size_t n = tokens_.size();
    return n >= 2 && !first_ && tokens_[n - 2].begins_directive &&
           (tokens_[n - 1].text == "include" || tokens_[n - 1].text == "include_next" ||
            tokens_[n - 1].text == "import" || tokens_[n - 1].text == "embed");
  }

  void quoted(char end_quote) {
    const bool header = after_include();
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != end_quote && text_[end] != '\n') {
      end +=
          !header && text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
    }
    end += end < text_.size() && text_[end] == end_quote;
    add(header ? SourceToken::Kind::header : SourceToken::Kind::text, end);
  }

  /// 1'000 and 1e+5 are one.
  void number() {
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      const char c = text_[end], before = text_[end - 1];
      const bool sign = (c == '+' || c == '-') &&
                        (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && end + 1 < text_.size() && is_word_part(text_[end + 1]);
      if (!is_word_part(c) && c != '.' && !sign && !separator) {
        break;
      }
      ++end;
    }
    add(SourceToken::Kind::word, end);
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word_part(text_[end])) {
      ++end;
    }
    const std::string_view name = std::string_view(text_).substr(at_, end - at_);
    const bool raw = end < text_.size() && text_[end] == '"' &&
                     (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R");
    add(raw ? SourceToken::Kind::raw_string : SourceToken::Kind::word, end);
  }

  std::string text_;
  std::vector<int> lines_; ///< of each character
  std::size_t at_ = 0;
  bool first_ = true;
  std::vector<SourceToken> tokens_;
};

} // namespace

std::vector<SourceToken> tokens_of(std::string_view source) { return Reader(source).read(); }

} // namespace tutor
