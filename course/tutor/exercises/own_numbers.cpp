#include "exercises/own_numbers.hpp"

#include "base/source_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace tutor {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// What a literal is worth; nothing: it is none, or one that no double can hold.
std::optional<double> value_of(std::string text) {
  if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) {
    return std::nullopt;
  }
  std::erase(text, '\'');
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool hex = text.starts_with("0x");
  double value = 0;
  if (text.starts_with("0b")) {
    value = static_cast<double>(std::strtoull(text.c_str() + 2, nullptr, 2));
  } else if (text[0] == '0' && text.size() > 1 && is_digit(text[1]) &&
             text.find_first_of(".e") == std::string::npos) {
    value = static_cast<double>(std::strtoull(text.c_str(), nullptr, 8));
  } else {
    value = std::strtod(text.c_str(), nullptr);
    const bool real = text.find_first_of(hex ? ".p" : ".e") != std::string::npos;
    if (real && text.ends_with('f')) {
      value = static_cast<float>(value);
    }
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The ends of what a type or a macro stands for; none: it is another word.
std::span<const double> ends_of(std::string_view word) {
  static const std::map<std::string_view, std::vector<double>> ends{
      {"char", {127, 255}},
      {"int8_t", {127}},
      {"uint8_t", {255}},
      {"short", {32767, 65535}},
      {"int16_t", {32767}},
      {"uint16_t", {65535}},
      {"SCHAR_MAX", {127}},
      {"UCHAR_MAX", {255}},
      {"SHRT_MAX", {32767}},
      {"USHRT_MAX", {65535}},
      {"INT_MIN", {INT_MIN}},
      {"INT_MAX", {INT_MAX}},
      {"FLT_EPSILON", {FLT_EPSILON, -FLT_EPSILON}},
      {"FLT_MIN", {FLT_MIN, -FLT_MIN}},
      {"FLT_MAX", {FLT_MAX, -FLT_MAX}}};
  const auto found = ends.find(word);
  return found == ends.end() ? std::span<const double>() : std::span(found->second);
}

/// Whether what stands before a minus is something that it is taken from.
bool ends_operand(const SourceToken &token) {
  return token.text == ")" || token.text == "]" ||
         (token.kind == SourceToken::Kind::word && token.text != "return" && token.text != "case");
}

/// In the order that they stand there.
std::vector<double> numbers_in(std::string_view source) {
  const std::vector<SourceToken> tokens = tokens_of(source);
  std::vector<double> found;
  const auto is_sign = [&](std::size_t i, const char *sign) {
    return i < tokens.size() && tokens[i].kind == SourceToken::Kind::sign && tokens[i].text == sign;
  };
  std::optional<double> left; ///< of a product or a shift
  bool shifted = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::optional<double> value;
    if (tokens[i].kind == SourceToken::Kind::word) {
      value = value_of(tokens[i].text);
      std::ranges::copy(ends_of(tokens[i].text), std::back_inserter(found));
    }
    if (!value) {
      left.reset();
      continue;
    }
    if (i > 0 && is_sign(i - 1, "-") && !(i > 1 && ends_operand(tokens[i - 2]))) {
      value = -*value;
    }
    found.push_back(*value);
    if (left) {
      value = shifted ? std::ldexp(*left, static_cast<int>(std::clamp(*value, 0.0, 64.0)))
                      : *left * *value;
      found.push_back(*value);
    }
    left = value;
    shifted = is_sign(i + 1, "<") && is_sign(i + 2, "<");
    if (shifted) {
      i += 2;
    } else if (is_sign(i + 1, "*")) {
      ++i;
    } else {
      left.reset();
    }
  }
  return found;
}

} // namespace

std::vector<double> own_numbers(std::string_view source, std::string_view stub) {
  const std::vector<double> given = numbers_in(stub);
  std::set<double> own;
  for (const double number : numbers_in(source)) {
    if (own.size() < most_own_numbers && std::ranges::find(given, number) == given.end()) {
      own.insert(number);
    }
  }
  return {own.begin(), own.end()};
}

std::string own_numbers_text(std::string_view source, std::string_view stub) {
  return fmt::format("{}", fmt::join(own_numbers(source, stub), " "));
}

} // namespace tutor
