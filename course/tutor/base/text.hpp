#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What the standard library has no word for yet.

namespace tutor {

/// What stands between blanks.
std::vector<std::string> words_of(std::string_view text);

using Names = std::set<std::string, std::less<>>;
/// The same, each once.
Names names_in(std::string_view text);

/// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, char separator);

/// With `to` in the place of each `from`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// With the byte that each "\x0a" names in its place.
std::string unescaped(std::string_view text);

/// As HTML and XML show it, in an element or in an attribute between double quotes.
std::string html_escaped(std::string_view text);

/// Without the byte-order mark that some programs write before UTF-8.
std::string without_mark(std::string text);

/// A letter, a digit or an underscore.
bool is_of_word(char c);

/// What `of`, a member or a function, makes of each element.
template <class Range, class Of> auto each(const Range &range, const Of &of) {
  std::vector<std::decay_t<decltype(std::invoke(of, *range.begin()))>> results;
  for (const auto &element : range) {
    results.push_back(std::invoke(of, element));
  }
  return results;
}

} // namespace tutor
