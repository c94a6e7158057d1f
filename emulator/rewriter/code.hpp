/// \file
/// A preprocessed source, with the questions that the rewriter asks about its tokens.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexer.hpp"

namespace rewriter {

/// Whether a list of words with blanks between has this one.
inline bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = 0; (at = words.find(word, at)) != words.npos; at += word.size()) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

/// A half-open range of tokens.
struct Range {
  size_t begin = 0;
  size_t end = 0;
  bool empty() const { return begin >= end; }
  bool holds(size_t i) const { return begin <= i && i < end; }
};

/// Tokens are named by their index.
class Code {
public:
  explicit Code(std::string_view text) : source_(tokenize(text)) { match_brackets(); }

  size_t size() const { return source_.tokens.size(); }
  const Token &operator[](size_t i) const { return source_.tokens[i]; }
  std::string_view source() const { return source_.text; }
  const std::string &file(size_t i) const {
    return source_.files[static_cast<size_t>(source_.tokens[i].file)];
  }
  const std::vector<std::string> &files() const { return source_.files; }

  std::string_view text(size_t i) const {
    return source_.text.substr((*this)[i].begin, (*this)[i].end - (*this)[i].begin);
  }
  bool is(size_t i, std::string_view what) const {
    return i < size() && (*this)[i].kind != Kind::string && text(i) == what;
  }
  /// \param words  with blanks between
  bool is_one_of(size_t i, std::string_view words) const {
    return i < size() && (*this)[i].kind != Kind::string && has_word(words, text(i));
  }
  /// <<<, also with a blank in it.
  bool is_launch_operator(size_t i) const {
    return (*this)[i].kind == Kind::punctuation && text(i).size() >= 3 && text(i)[0] == '<';
  }
  bool opens(size_t i) const { return is_one_of(i, "( [ {"); }
  bool closes(size_t i) const { return is_one_of(i, ") ] }"); }
  bool is_name(size_t i) const { return i < size() && (*this)[i].kind == Kind::identifier; }
  bool is_index(size_t i) const {
    return is_name(i) && (text(i).ends_with("Idx") || text(i).ends_with("Dim")) &&
           is_one_of(i, "threadIdx blockIdx blockDim gridDim");
  }
  bool is_ellipsis(size_t i) const { return is(i, ".") && is(i + 1, ".") && is(i + 2, "."); }

  [[noreturn]] void fail(size_t i, const std::string &what) const {
    const size_t at = std::min(i, size() - 1);
    throw SourceError(file(at), (*this)[at].line, what);
  }

  /// The partner of the bracket at `i`.
  size_t partner(size_t i) const { return partner_[i]; }

  /// Behind the token, or behind the brackets that it opens.
  size_t next(size_t i) const { return opens(i) ? partner(i) + 1 : i + 1; }

  /// The first of some words from `i` on that stands in no brackets; `end` if there is none.
  size_t find(std::string_view words, size_t i, size_t end) const {
    while (i < end && !is_one_of(i, words))
      i = next(i);
    return i;
  }

  /// From a < to the > that closes it, if what stands between can be template arguments; else `i`.
  size_t angle_close(size_t i, size_t end) const {
    int depth = 0;
    for (size_t k = i; k < end; ++k) {
      if (opens(k))
        k = partner(k);
      else if (is(k, "<"))
        ++depth;
      else if (is(k, ">") && --depth == 0)
        return k;
      else if (closes(k) || is_one_of(k, "; <<<"))
        break;
    }
    return i;
  }

  /// Behind a name and its template arguments.
  size_t behind_name(size_t k) const {
    return is(k + 1, "<") ? angle_close(k + 1, size()) + 1 : k + 1;
  }

  /// Whether it is the b of `Type a(1), b(2);`.
  bool is_later_declarator(size_t k) const {
    size_t first = k - 1; // of the statement
    while (is_one_of(first, "* &"))
      --first;
    if (!is(first, ","))
      return false;
    while (!is_one_of(first - 1, "; {") && !(is(first - 1, "}") && !is(first, ","))) {
      if (opens(first - 1))
        return false; // an argument
      first = closes(first - 1) ? partner(first - 1) : first - 1;
    }
    first += is(first, "::");
    while (is_name(first) && is(behind_name(first), "::"))
      first = behind_name(first) + 1;
    size_t behind = behind_name(first);
    while (is_one_of(behind, "* & const"))
      ++behind;
    return is_name(first) && !is(first, "return") && is_name(behind);
  }

  /// Parts of a range between the commas that stand in no bracket, angle ones included.
  std::vector<Range> split(Range range) const {
    std::vector<Range> parts;
    size_t first = range.begin;
    for (size_t k = range.begin; k < range.end; ++k) {
      if (opens(k)) {
        k = partner(k);
      } else if (is(k, "<") && is_name(k - 1)) {
        k = angle_close(k, range.end);
      } else if (is(k, ",")) {
        parts.push_back({first, k});
        first = k + 1;
      }
    }
    if (first < range.end)
      parts.push_back({first, range.end});
    return parts;
  }

  /// The same code on one line.
  std::string flat(Range range) const {
    std::string result;
    for (size_t k = range.begin; k < range.end; ++k) {
      if (k > range.begin && (*this)[k - 1].end != (*this)[k].begin)
        result += ' ';
      result += text(k);
    }
    return result;
  }

private:
  void match_brackets() {
    partner_.resize(size());
    std::vector<size_t> open;
    for (size_t i = 0; i < size(); ++i) {
      if (opens(i)) {
        open.push_back(i);
      } else if (closes(i)) {
        if (open.empty())
          fail(i, "this bracket was not opened");
        const char other = text(i) == ")" ? '(' : text(i) == "]" ? '[' : '{';
        if (text(open.back())[0] != other)
          fail(open.back(), "this bracket is not closed");
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
    }
    if (!open.empty())
      fail(open.back(), "this bracket is not closed");
  }

  Source source_;
  std::vector<size_t> partner_; // of brackets
};

} // namespace rewriter
