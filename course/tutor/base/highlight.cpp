#include "base/highlight.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tutor {
namespace {

const Names keywords =
    names_in("alignas auto break case catch class const constexpr continue decltype default delete "
             "do else enum explicit extern false for friend goto if inline namespace new noexcept "
             "nullptr operator private public return sizeof static static_cast struct switch "
             "template this throw true try typename using volatile while requires reinterpret_cast "
             "typedef protected virtual static_assert mutable const_cast");
const Names types =
    names_in("bool char double float int long short signed unsigned void size_t int8_t int16_t "
             "int32_t int64_t uint8_t uint16_t uint32_t uint64_t float2 float3 float4 int2 int4 "
             "uint4 dim3 half uintptr_t");

/// What is CUDA's own: its declarators, a thread's place, its intrinsics.
bool is_cuda(std::string_view word) {
  static const Names names = names_in("threadIdx blockIdx blockDim gridDim warpSize");
  return names.contains(word) || (word.starts_with("__") && word.size() > 2) ||
         word.starts_with("cuda") || (word.starts_with("atomic") && word.size() > 6);
}

class Highlighter {
public:
  explicit Highlighter(std::string_view source) : rest_(source) {}

  std::vector<CodeLine> lines() {
    while (!rest_.empty())
      next();
    if (!line_.empty())
      lines_.push_back(std::move(line_));
    return std::move(lines_);
  }

private:
  void next() {
    const char c = rest_[0];
    if (rest_.starts_with("//"))
      take(rest_.find('\n'), "comment");
    else if (rest_.starts_with("/*"))
      take(end_of("*/", 2), "comment");
    else if (c == '"' || c == '\'')
      take(end_of_literal(), "string");
    else if (c == '#' && only_blanks())
      take(rest_.find_first_of(" <\"\n", 1 + rest_.substr(1).find_first_not_of(' ')), "directive");
    else if (std::isdigit(static_cast<unsigned char>(c)))
      take(end_of_number(), "number");
    else if (is_of_word(c))
      take_word();
    else
      take(1, "");
  }

  bool only_blanks() const {
    return std::ranges::all_of(line_, [](const CodePiece &p) {
      return p.text.find_first_not_of(' ') == std::string::npos;
    });
  }

  std::size_t end_of(std::string_view what, std::size_t from) const {
    const std::size_t found = rest_.find(what, from);
    return found == std::string_view::npos ? found : found + what.size();
  }

  std::size_t end_of_literal() const {
    std::size_t i = 1;
    while (i < rest_.size() && rest_[i] != rest_[0] && rest_[i] != '\n')
      i += rest_[i] == '\\' ? 2 : 1;
    return i + 1;
  }

  /// 0x1F, 1.5e-3f, 1'000: a quote or a point inside belongs to it.
  std::size_t end_of_number() const {
    std::size_t i = 1;
    while (i < rest_.size() && (is_of_word(rest_[i]) || rest_[i] == '.' || rest_[i] == '\'' ||
                                ((rest_[i] == '-' || rest_[i] == '+') && rest_[i - 1] == 'e')))
      ++i;
    return i;
  }

  void take_word() {
    std::size_t i = 0;
    while (i < rest_.size() && is_of_word(rest_[i]))
      ++i;
    const std::string_view word = rest_.substr(0, i);
    take(i,
         keywords.contains(word) ? "keyword"
         : types.contains(word)  ? "type"
         : is_cuda(word)         ? "cuda"
                                 : "");
  }

  void take(std::size_t length, std::string_view sort) {
    std::string_view part = rest_.substr(0, length);
    rest_.remove_prefix(part.size());
    while (!part.empty()) {
      const std::string_view piece = part.substr(0, part.find('\n'));
      if (!piece.empty())
        line_.push_back({std::string(piece), sort});
      part.remove_prefix(piece.size());
      if (!part.empty()) {
        part.remove_prefix(1);
        lines_.push_back(std::move(line_));
        line_.clear();
      }
    }
  }

  std::string_view rest_;
  CodeLine line_;
  std::vector<CodeLine> lines_;
};

} // namespace

std::vector<CodeLine> pieces_of_code(std::string_view source) {
  return Highlighter(source).lines();
}

std::vector<std::string> highlighted(std::string_view source) {
  return each(pieces_of_code(source), [](const CodeLine &line) {
    std::string html;
    for (const auto &[text, sort] : line)
      html += sort.empty() ? html_escaped(text)
                           : fmt::format("<b class={}>{}</b>", sort, html_escaped(text));
    return html;
  });
}

} // namespace tutor
