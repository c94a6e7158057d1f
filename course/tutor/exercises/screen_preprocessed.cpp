#include "exercises/name_lists.hpp"
#include "exercises/screen.hpp"

#include "base/files.hpp"
#include "base/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <regex>
#include <set>

namespace tutor {
namespace {

bool is_of_processor(const fs::path &header) {
  const std::string name = header.filename().string();
  return name.ends_with("intrin.h") || name.starts_with("arm_");
}

/// By whatever way it is included: ./block_sum.cu is no other file.
bool is_the_same(const std::string &file, const fs::path &own) {
  return file.ends_with(own.filename().string()) && fs::path(file).lexically_normal() == own;
}

/// The lines of a preprocessed text that are the submission's, at whatever depth: those of its file, and those of no
/// header of the system's.
struct OwnLines {
  std::string text;
  std::vector<int> numbers; ///< of each line
  std::optional<Forbidden>
      of_processor; ///< a header of them: a GPU has none, and no instrument sees what they do

  OwnLines(std::string_view preprocessed, const fs::path &own) {
    bool is_own = true;
    int number = 1, included_at = 1;
    while (!preprocessed.empty()) {
      const std::size_t end = std::min(preprocessed.find('\n'), preprocessed.size() - 1);
      const std::string_view line = preprocessed.substr(0, end + 1);
      preprocessed.remove_prefix(end + 1);
      if (const auto marker = line_marker(line)) {
        included_at = is_own ? number : included_at;
        if (marker->of_system && !of_processor && is_of_processor(marker->file)) {
          of_processor = Forbidden{included_at,
                                   "instructions of the host's processor (" +
                                       fs::path(marker->file).filename().string() +
                                       "): no exercise needs that"};
        }
        is_own = !marker->of_system || is_the_same(marker->file, own);
        number = marker->line;
        continue;
      }
      if (is_own) {
        text += line;
        numbers.push_back(number);
      }
      ++number;
    }
    numbers.push_back(number);
  }
};

constexpr std::size_t largest_own_text = 4u << 20; // 16 times the largest file that is read
constexpr std::size_t longest_attribute = 200; // words
constexpr std::size_t longest_expression = 4000; // words; g++ takes as many steps as their square

const Names allowed_builtins =
    names_in("__builtin_expect __builtin_assume __builtin_assume_aligned __builtin_unreachable "
             "__builtin_offsetof __builtin_va_list __builtin_inff __builtin_inf __builtin_huge_val "
             "__builtin_huge_valf __builtin_nanf __builtin_nan");
/// What macros of the standard's headers become, and the compiler's own spellings of keywords.
const Names allowed_reserved = names_in(
    "__asm __asm__ __volatile__ __func__ __FUNCTION__ __PRETTY_FUNCTION__ __assert_fail "
    "__extension__ __noinline__ __null __restrict __inline __inline__ __int128 __alignof__");
const Names allowed_attributes =
    names_in("always_inline noinline aligned unused section \"emu_constant\" maybe_unused "
             "nodiscard likely unlikely fallthrough noreturn no_unique_address");

/// Words behind which a name is not declared but used.
const Names statement_words =
    names_in("return case goto throw new delete sizeof else do operator and or not namespace using "
             "co_return co_yield");
constexpr std::array attribute_words{"__attribute__", "__attribute"};
constexpr std::array declaring_words{"struct", "class", "union", "enum", "typename", "concept"};

/// Whether it is the b of `Type a, b;`, where a statement begins at `first`.
bool is_later_declarator(const std::vector<SourceToken> &tokens, std::size_t first, std::size_t i) {
  const auto is = [&](std::size_t k, const auto &signs) { return among(tokens[k].text, signs); };
  return tokens[i - 1].text == "," && tokens[i].text[0] == '_' && first > 0 &&
         tokens[first - 1].text != "(" && first + 1 < i &&
         tokens[first].kind == SourceToken::Kind::word &&
         !among(tokens[first].text, statement_words) &&
         !is(first + 1, std::array{",", "(", "=", "["});
}

/// The names that the file itself declares. Functions that it declares and does not define are found by
/// screen_object().
std::set<std::string_view> declared_names(const std::vector<SourceToken> &tokens) {
  const auto at = [&](std::size_t i) {
    return i < tokens.size() ? std::string_view(tokens[i].text) : std::string_view();
  };
  std::set<std::string_view> names;
  std::size_t statement = 0; // its first word
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (among(tokens[i - 1].text, std::array{";", "{", "}", "("})) {
      statement = i;
    }
    if (tokens[i].kind != SourceToken::Kind::word) {
      continue;
    }
    const std::string_view before = at(i - 1), behind = at(i + 1);
    const bool after_a_type =
        (tokens[i - 1].kind == SourceToken::Kind::word &&
         !std::isdigit(static_cast<unsigned char>(before[0])) && !among(before, statement_words)) ||
        before == ">" || before == "*" || before == "&" ||
        is_later_declarator(tokens, statement, i);
    const bool declares =
        among(before, declaring_words) || (behind == "=" && (before == "using" || before == ",")) ||
        (before == "namespace" && (behind == "{" || behind == "=") &&
         (i < 2 || at(i - 2) != "using")) ||
        (after_a_type && among(behind, std::array{"=", ";", "(", "{", "[", ",", ")", ":"}) &&
         !(behind == ":" && at(i + 2) == ":"));
    if (declares) {
      names.insert(at(i));
    }
  }
  return names;
}

/// Where namespaces that are opened have their names, or the first of them; attributes may stand in front.
std::set<std::size_t> opened_namespaces(const std::vector<SourceToken> &tokens) {
  std::vector<std::size_t> open, behind(tokens.size()); // the bracket that closes this one
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (among(tokens[i].text, std::array{"[", "("})) {
      open.push_back(i);
    } else if (among(tokens[i].text, std::array{"]", ")"}) && !open.empty()) {
      behind[open.back()] = i + 1;
      open.pop_back();
    }
  }
  std::set<std::size_t> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != "namespace" || (i > 0 && tokens[i - 1].text == "using")) {
      continue;
    }
    std::size_t name = i + 1;
    while (name < tokens.size() &&
           (behind[name] != 0 || among(tokens[name].text, attribute_words))) {
      name = behind[name] != 0 ? behind[name] : name + 1;
    }
    names.insert(name);
  }
  return names;
}

class Screen {
public:
  Screen(const std::vector<SourceToken> &tokens, const NameTest &known_reserved)
      : tokens_(tokens), declared_(declared_names(tokens)), opened_(opened_namespaces(tokens)),
        known_reserved_(known_reserved) {}

  std::optional<Forbidden> look() {
    for (std::size_t i = 0, first = 0; i < tokens_.size(); ++i) {
      if (among(at(i), std::array{",", ";", "{", "}", "#"})) {
        first = i;
      } else if (i > first + longest_expression) {
        return Forbidden{tokens_[i].line,
                         fmt::format("an expression of more than {} words: no exercise needs that",
                                     longest_expression),
                         ""};
      }
      std::string what = look_at(i);
      if (!what.empty()) {
        const bool unknown = what == name_of_nobody(at(i));
        return Forbidden{tokens_[i].line, what, unknown ? std::string(at(i)) : ""};
      }
    }
    return std::nullopt;
  }

private:
  static std::string name_of_nobody(std::string_view word) {
    return fmt::format("{}: such names belong to the compiler", word);
  }

  std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(tokens_[i].text) : std::string_view();
  }

  std::string look_at(std::size_t i) const {
    const std::string_view word = at(i);
    if (tokens_[i].begins_directive) {
      return look_at_directive(i + 1);
    }
    if (among(word, attribute_words)) {
      return look_at_attributes(i + 1, ")");
    }
    if (word == "[" && at(i + 1) == "[") {
      return look_at_attributes(i, "]");
    }
    return tokens_[i].kind == SourceToken::Kind::word ? look_at_word(i) : "";
  }

  std::string look_at_directive(std::size_t i) const {
    if (at(i) != "pragma") {
      return "";
    }
    // The compiler's own note that it has read a precompiled header comes before everything else.
    const bool compilers_own = i == 1 && at(i + 1) == "GCC" && at(i + 2) == "pch_preprocess";
    return compilers_own ? "" : look_at_pragma(at(i + 1));
  }

  /// \param first  the first bracket of (( or [[
  std::string look_at_attributes(std::size_t first, std::string_view close) const {
    const std::string_view open = close == ")" ? "(" : "[";
    int depth = 0;
    for (std::size_t i = first; i < tokens_.size(); ++i) {
      const std::string_view word = at(i);
      if (i > first + longest_attribute) {
        return "an attribute without end: no exercise needs that";
      }
      depth += word == open;
      depth -= word == close;
      if (depth == 0) {
        return "";
      }
      std::string_view plain = word;
      if (plain.starts_with("__") && plain.ends_with("__") && plain.size() > 4) {
        plain = plain.substr(2, plain.size() - 4);
      }
      const bool number = !word.empty() && word[0] >= '0' && word[0] <= '9';
      if (tokens_[i].kind != SourceToken::Kind::sign && !number &&
          !among(plain, allowed_attributes)) {
        return fmt::format("the attribute {}: no exercise needs that", word);
      }
    }
    return "";
  }

  std::string look_at_word(std::size_t i) const {
    const std::string_view word = at(i);
    const std::string_view before = i > 0 ? at(i - 1) : "";
    if (among(word, forbidden_words) || begins_like(word, forbidden_beginnings)) {
      return fmt::format("{}: no exercise needs that", word);
    }
    if (among(word, assembler_words) && !is_ptx(i + 1)) {
      return fmt::format("{} with other instructions than a GPU's: no exercise needs that", word);
    }
    if (word == "emu" && names_the_emulator(i)) {
      return "emu: no exercise needs that";
    }
    const bool qualifies = at(i + 1) == ":" && at(i + 2) == ":";
    if (among(word, our_namespaces) && (before == "namespace" || qualifies) &&
        !declared_.contains(word)) {
      return fmt::format("the namespace {} belongs to the checker", word);
    }
    if (word == "std" && opens_namespace(i)) {
      return "the namespace std belongs to the compiler";
    }
    const bool reserved =
        word.size() > 1 && word[0] == '_' && (word[1] == '_' || (word[1] >= 'A' && word[1] <= 'Z'));
    if (!reserved || among(word, allowed_reserved) || among(word, allowed_builtins)) {
      return "";
    }
    if (word.starts_with("__builtin_") || word.starts_with("_Z")) {
      return fmt::format("{}: no exercise needs that", word);
    }
    return known_reserved_(word) || declared_.contains(word) ? "" : name_of_nobody(word);
  }

  /// Whether instructions of PTX follow (an opcode with a dot, mov.u32, or a scope, register or predicate before it),
  /// or none at all: a barrier for the compiler.
  bool is_ptx(std::size_t i) const {
    while (among(at(i), std::array{"volatile", "__volatile__", "__volatile"})) {
      ++i;
    }
    if (at(i) != "(" || i + 1 >= tokens_.size() || tokens_[i + 1].kind != SourceToken::Kind::text) {
      return false;
    }
    std::string instructions;
    for (++i; i < tokens_.size() && tokens_[i].kind == SourceToken::Kind::text; ++i) {
      instructions += tokens_[i].text.substr(1, tokens_[i].text.size() - 2);
    }
    static const std::regex ptx(
        R"(^(\s|\\[nrt]|\{|\.reg\b|@!?%?\w+\s|//((?!\\n).)*\\n)*([a-z]\w*\.|\.reg|(exit|trap|ret|brkpt)\s*;|$))");
    constexpr std::size_t longest = 200; // std::regex has no limit but the stack's
    return std::regex_search(instructions.substr(0, longest), ptx);
  }

  /// Whether a namespace of this name is opened, or another one within it.
  bool opens_namespace(std::size_t i) const { return opened_.contains(i); }

  /// The namespace, under whatever name: emu::…, using namespace emu, namespace x = emu.
  bool names_the_emulator(std::size_t i) const {
    const std::string_view before = i > 0 ? at(i - 1) : "";
    const bool qualifies = at(i + 1) == ":" && at(i + 2) == ":";
    const bool qualified = before == ":" && i >= 2 && at(i - 2) == ":";
    return qualifies || qualified || before == "namespace" || opens_namespace(i) ||
           (before == "=" && i >= 3 && at(i - 3) == "namespace");
  }

  const std::vector<SourceToken> &tokens_;
  const std::set<std::string_view> declared_;
  const std::set<std::size_t> opened_;
  const NameTest &known_reserved_;
};

} // namespace

std::optional<LineMarker> line_marker(std::string_view line) {
  const std::size_t open = line.find('"'), close = line.rfind('"');
  if (!line.starts_with("# ") || open >= close) {
    return std::nullopt;
  }
  LineMarker marker{
      std::atoi(line.data() + 2), "", line.find(" 3", close) != std::string_view::npos};
  for (std::size_t i = open + 1; i < close; ++i) {
    i += line[i] == '\\'; // as it stands in a string
    marker.file += line[i];
  }
  return marker;
}

std::optional<Forbidden>
screen_preprocessed(std::string_view text, const fs::path &file, const NameTest &known_reserved) {
  const OwnLines own(text, file);
  if (own.text.size() > largest_own_text) {
    return Forbidden{1, "macros make megabytes of this file: no exercise needs that"};
  }
  if (own.of_processor) {
    return own.of_processor;
  }
  const std::vector<SourceToken> tokens = tokens_of(own.text);
  std::optional<Forbidden> found = Screen(tokens, known_reserved).look();
  if (found) {
    found->line = own.numbers.at(static_cast<std::size_t>(found->line) - 1);
  }
  return found;
}

NameTest names_listed_in(const fs::path &file) {
  return
      [names = names_in(read_file(file))](std::string_view name) { return names.contains(name); };
}

} // namespace tutor
