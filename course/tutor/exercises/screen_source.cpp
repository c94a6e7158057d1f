#include "exercises/name_lists.hpp"
#include "exercises/screen.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tutor {
namespace {

const Names directives =
    names_in("include define undef if ifdef ifndef elif elifdef elifndef else endif error warning "
             "pragma");

/// Reserved names that programs define, and headers ask for. (NDEBUG is not reserved: what a header but asks for is the
/// program's to say.)
const Names for_programs = names_in("_GNU_SOURCE _USE_MATH_DEFINES __STDC_FORMAT_MACROS "
                                    "__STDC_LIMIT_MACROS __STDC_CONSTANT_MACROS");

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

/// What takes accesses from the instruments, or a meaning from the headers: whatever is reserved and not new.
bool may_define(std::string_view macro, const NameTest &known_reserved) {
  return !macro.starts_with("EMU_") && !begins_like(macro, forbidden_beginnings) &&
         !among(macro, forbidden_words) && !among(macro, assembler_words) &&
         !macro.starts_with("__builtin_") && !(is_reserved(macro) && known_reserved(macro));
}

/// \param words  of one directive, behind the #
std::string screen_directive(const std::vector<SourceToken> &words,
                             const NameTest &known_reserved) {
  if (words.empty()) {
    return "";
  }
  const std::string &name = words[0].text;
  if (!directives.contains(name)) {
    return fmt::format("#{}: no exercise needs that", name);
  }
  if (name == "include") {
    return screen_include(words.size() > 1 ? &words[1] : nullptr);
  }
  if (name == "define" || name == "undef") {
    const std::string macro = words.size() > 1 ? words[1].text : "";
    if (!may_define(macro, known_reserved) || (name == "undef" && is_reserved(macro))) {
      return fmt::format("the macro {} is not yours", macro);
    }
  }
  if (name == "pragma" && words.size() > 1) { // some are gone when the preprocessor has obeyed them
    return look_at_pragma(words[1].text);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool whether_there_is_one =
        words[i - 1].text == "defined" ||
        (i > 1 && words[i - 1].text == "(" && words[i - 2].text == "defined") ||
        (i == 1 && name.ends_with("def"));
    if (words[i].text.starts_with("__has_") && !whether_there_is_one) {
      return fmt::format("{}: no exercise needs that", words[i].text);
    }
  }
  return "";
}

/// The words of the directive that begins with this #, behind it.
std::vector<SourceToken> directive_at(const std::vector<SourceToken> &tokens, std::size_t hash) {
  std::vector<SourceToken> words;
  for (std::size_t k = hash + 1; k < tokens.size() && !tokens[k].first_in_line; ++k) {
    words.push_back(tokens[k]);
  }
  return words;
}

} // namespace

std::optional<Forbidden> screen_source(std::string_view source, const NameTest &known_reserved) {
  const std::vector<SourceToken> tokens = tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == SourceToken::Kind::raw_string) {
      return Forbidden{tokens[i].line, "a raw string: no exercise needs that"};
    }
    if (!tokens[i].begins_directive) {
      continue;
    }
    if (std::string what = screen_directive(directive_at(tokens, i), known_reserved);
        !what.empty()) {
      return Forbidden{tokens[i].line, what};
    }
  }
  return std::nullopt;
}

std::vector<SourceToken> defined_macros(std::string_view source) {
  std::vector<SourceToken> macros;
  const std::vector<SourceToken> tokens = tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].begins_directive) {
      const std::vector<SourceToken> words = directive_at(tokens, i);
      if (words.size() > 1 && words[0].text == "define") {
        macros.push_back(words[1]);
      }
    }
  }
  return macros;
}

std::optional<SharedName> said_by_a_header(const std::vector<SourceToken> &macros,
                                           std::string_view preprocessed,
                                           const fs::path &own) {
  // In the order in which they are included, each with the last line of the file's own above it.
  std::vector<std::pair<std::string, int>> headers;
  std::map<std::string, std::size_t> places;
  int line_of_own = 0;
  bool in_own = false;
  for (std::size_t at = 0; !macros.empty() && at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    if (const auto marker = line_marker(preprocessed.substr(at, end - at))) {
      in_own = marker->file == own.string();
      if (in_own) {
        line_of_own = marker->line;
      } else {
        const auto [place, is_new] = places.try_emplace(marker->file, headers.size());
        if (is_new) {
          headers.emplace_back(marker->file, 0);
        }
        headers[place->second].second = line_of_own;
      }
    } else {
      line_of_own += in_own;
    }
    at = end + 1;
  }
  for (const auto &[header, line] : headers) {
    const auto defined_above = [&, line = line](const SourceToken &macro) {
      return macro.line <= line;
    };
    if (std::ranges::none_of(macros, defined_above) || !fs::is_regular_file(header)) {
      continue;
    }
    bool asks = false; // #if and its kin: that is what a program defines such a name for
    const std::vector<SourceToken> tokens = tokens_of(read_file(header));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string &name = tokens[i].text;
      if (tokens[i].first_in_line) {
        const std::string next = i + 1 < tokens.size() ? tokens[i + 1].text : "";
        asks = tokens[i].begins_directive && (next.starts_with("if") || next.starts_with("elif"));
      }
      const auto same = std::ranges::find(macros, name, &SourceToken::text);
      if (same != macros.end() &&
          (is_reserved(name) ? !for_programs.contains(name) : !asks && defined_above(*same))) {
        return SharedName{*same, header};
      }
    }
  }
  return std::nullopt;
}

} // namespace tutor
