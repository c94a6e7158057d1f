#include "exercises/screen.hpp"

#include "exercises/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tutor {
namespace {

constexpr std::array directives{"include",
                                "define",
                                "undef",
                                "if",
                                "ifdef",
                                "ifndef",
                                "elif",
                                "elifdef",
                                "elifndef",
                                "else",
                                "endif",
                                "error",
                                "warning",
                                "pragma"};

bool is_reserved(std::string_view name) {
  return name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

std::string screen_include(const SourceToken *operand) {
  if (operand == nullptr || operand->kind != SourceToken::Kind::header) {
    return "an #include names its file between \" or < and >";
  }
  const std::string_view name = std::string_view(operand->text).substr(1);
  const bool leads_elsewhere = name.starts_with("/") || name.find("..") != std::string_view::npos;
  return leads_elsewhere ? "an #include must not lead out of this folder" : "";
}

/// \param words  of one directive, behind the #
std::string screen_directive(const std::vector<SourceToken> &words) {
  if (words.empty()) {
    return "";
  }
  const std::string &name = words[0].text;
  if (std::ranges::find(directives, name) == directives.end()) {
    return fmt::format("#{}: no exercise needs that", name);
  }
  if (name == "include") {
    return screen_include(words.size() > 1 ? &words[1] : nullptr);
  }
  if (name == "define" || name == "undef") {
    const std::string macro = words.size() > 1 ? words[1].text : "";
    if (is_reserved(macro) || macro.starts_with("EMU_")) {
      return fmt::format("the macro {} is not yours", macro);
    }
  }
  for (const SourceToken &word : words) {
    if (word.text.starts_with("__has_")) {
      return fmt::format("{}: no exercise needs that", word.text);
    }
  }
  return "";
}

} // namespace

std::optional<Forbidden> screen_source(std::string_view source) {
  const std::vector<SourceToken> tokens = tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == SourceToken::Kind::raw_string) {
      return Forbidden{tokens[i].line, "a raw string: no exercise needs that"};
    }
    if (!tokens[i].begins_directive) {
      continue;
    }
    std::vector<SourceToken> words;
    for (std::size_t k = i + 1; k < tokens.size() && !tokens[k].first_in_line; ++k) {
      words.push_back(tokens[k]);
    }
    if (std::string what = screen_directive(words); !what.empty()) {
      return Forbidden{tokens[i].line, what};
    }
  }
  return std::nullopt;
}

} // namespace tutor
