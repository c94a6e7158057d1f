/// \file
/// Changes to a source, which are made all at once.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// Of two insertions at one place, which comes first.
enum class Layer { outer, middle, inner };

class Edits {
public:
  explicit Edits(const Code &code) : code_(code) {}

  /// Writes `text` in front of token `i`; at the end of what the token's brackets hold, inner layers
  /// come first.
  void before(size_t i, const std::string &text, Layer layer = Layer::outer) {
    const int order = static_cast<int>(layer), last = 10; // of all that can stand in empty brackets
    edits_.push_back(
        {code_[i].begin, code_[i].begin, code_.closes(i) ? last - order : order, text});
  }
  void behind(size_t i, const std::string &text, Layer layer = Layer::outer) {
    edits_.push_back({code_[i].end, code_[i].end, static_cast<int>(layer), text});
  }
  /// Writes `text` in place of a range of tokens, and the lines go on as they were.
  void replace(Range range, const std::string &text) {
    const size_t begin = code_[range.begin].begin, end = code_[range.end - 1].end;
    const bool many_lines =
        code_.source().substr(begin, end - begin).find('\n') != std::string::npos;
    edits_.push_back({begin, end, 0, many_lines ? text + marker(range.end - 1) : text});
  }

  /// A line marker: what comes next stands in the line of token `i`.
  std::string marker(size_t i) const {
    return "\n# " + std::to_string(code_[i].line) + " \"" + code_.file(i) + "\"\n";
  }
  /// The source of a range, from its own lines to those of token `then`.
  std::string moved(Range range, size_t then) const {
    if (range.empty())
      return "";
    const std::string text(code_.source().substr(
        code_[range.begin].begin, code_[range.end - 1].end - code_[range.begin].begin));
    if (code_[range.begin].line == code_[then].line && text.find('\n') == std::string::npos)
      return text;
    return marker(range.begin) + text + marker(then);
  }

  std::string apply() {
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit &a, const Edit &b) {
      if (a.begin != b.begin)
        return a.begin < b.begin;
      if ((a.begin == a.end) != (b.begin == b.end))
        return a.begin == a.end; // insertions first
      return a.order < b.order;
    });
    std::string result;
    size_t done = 0;
    for (const Edit &edit : edits_) {
      if (edit.begin < done)
        continue; // it lies in what has been replaced
      result += code_.source().substr(done, edit.begin - done);
      result += edit.text;
      done = edit.end;
    }
    result += code_.source().substr(done);
    return result;
  }

private:
  struct Edit {
    size_t begin, end; // offsets into the source
    int order;
    std::string text;
  };
  const Code &code_;
  std::vector<Edit> edits_;
};

} // namespace rewriter
