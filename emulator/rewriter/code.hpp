/// \file
/// A source as tokens, with the questions that the rewriter asks about them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexer.hpp"

namespace rewriter {

/// Tokens are named by their index.
class Code {
public:
  explicit Code(std::string_view source) : source_(source), tokens_(tokenize(source)) {}

  size_t size() const { return tokens_.size(); }
  const Token &operator[](size_t i) const { return tokens_[i]; }
  std::string_view source() const { return source_; }

  std::string_view text(size_t i) const {
    return source_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is(size_t i, std::string_view what) const {
    return i < tokens_.size() && tokens_[i].kind != Kind::string && text(i) == what;
  }
  /// <<<, also with a blank in it.
  bool is_launch_operator(size_t i) const {
    return tokens_[i].kind == Kind::punctuation && text(i).size() >= 3 && text(i)[0] == '<';
  }
  bool opens(size_t i) const { return is(i, "(") || is(i, "[") || is(i, "{"); }
  bool closes(size_t i) const { return is(i, ")") || is(i, "]") || is(i, "}"); }
  bool is_name(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Kind::identifier; }

  [[noreturn]] void fail(size_t i, const std::string &what) const {
    throw SourceError(tokens_[std::min(i, tokens_.size() - 1)].line, what);
  }

  // Whether the brackets at i and k belong together.
  bool pair(size_t i, size_t k) const {
    return (is(i, "(") && is(k, ")")) || (is(i, "[") && is(k, "]")) || (is(i, "{") && is(k, "}"));
  }

  // The partner of the bracket at i.
  size_t matching_close(size_t i) const {
    std::vector<size_t> open;
    for (size_t k = i; k < tokens_.size(); ++k) {
      if (opens(k)) {
        open.push_back(k);
      } else if (closes(k)) {
        if (!pair(open.back(), k))
          fail(open.back(), "this bracket is not closed");
        open.pop_back();
        if (open.empty())
          return k;
      }
    }
    fail(i, "this bracket is not closed");
  }
  size_t matching_open(size_t i) const {
    int depth = 0;
    for (size_t k = i + 1; k-- > 0;) {
      depth += closes(k) - opens(k);
      if (depth == 0)
        return k;
    }
    fail(i, "this bracket was not opened");
  }
  // From the > that ends a template argument list back to its <.
  size_t matching_less(size_t i) const {
    int depth = 0;
    for (size_t k = i + 1; k-- > 0;) {
      if (closes(k)) {
        k = matching_open(k);
        continue;
      }
      depth += is(k, ">");
      depth -= is(k, "<");
      if (is(k, "<<")) // two lists close at once
        depth -= 2;
      if (depth <= 0)
        return k;
    }
    fail(i, "this template argument list was not opened");
  }

  // The same code on one line: comments go, white space shrinks.
  std::string flat(size_t first, size_t last) const {
    std::string result;
    for (size_t k = first; k <= last && k < tokens_.size(); ++k) {
      if (k > first && tokens_[k - 1].end != tokens_[k].begin)
        result += ' ';
      result += text(k);
    }
    return result;
  }

  // The tokens (begin, end) split at commas outside brackets; template commas are kept together by
  // the fact that an argument that is a lone name or expression never ends inside < >.
  std::vector<std::pair<size_t, size_t>> split(size_t begin, size_t end) const {
    std::vector<std::pair<size_t, size_t>> parts;
    size_t first = begin;
    int angle = 0;
    for (size_t k = begin; k < end; ++k) {
      if (opens(k)) {
        k = matching_close(k);
      } else if (is(k, "<") && is_name(k - 1) && closes_as_template(k, end)) {
        ++angle;
      } else if (is(k, ">") && angle > 0) {
        --angle;
      } else if (is(k, ",") && angle == 0) {
        parts.push_back({first, k});
        first = k + 1;
      }
    }
    if (first < end)
      parts.push_back({first, end});
    return parts;
  }

  // Whether the < at k opens template arguments: a > that closes it comes before anything that
  // cannot stand in them and is followed by what can follow a template-id.
  bool closes_as_template(size_t k, size_t end) const {
    int depth = 0;
    for (; k < end; ++k) {
      if (opens(k)) {
        k = matching_close(k);
      } else if (is(k, "<")) {
        ++depth;
      } else if (is(k, ">")) {
        if (--depth == 0)
          return is(k + 1, "(") || is(k + 1, "{") || is(k + 1, "::") || is(k + 1, ")") ||
                 is(k + 1, ",") || is(k + 1, ">") || is(k + 1, "*") || is(k + 1, "&");
      } else if (is(k, ";") || is(k, "|") || is(k, "?")) {
        return false;
      }
    }
    return false;
  }

private:
  std::string_view source_;
  std::vector<Token> tokens_;
};

} // namespace rewriter
