#pragma once

#include <algorithm>
#include <string_view>

/// \file
/// Names against lists of names.

namespace tutor {

template <class List> bool among(std::string_view word, const List &list) {
  return std::ranges::find(list, word) != list.end();
}
template <class List> bool begins_like(std::string_view word, const List &beginnings) {
  return std::ranges::any_of(beginnings, [&](const char *one) { return word.starts_with(one); });
}

} // namespace tutor
