#pragma once

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

/// \file
/// Names against lists of names.

namespace tutor {

/// What would take accesses from the instruments, or reach past them.
constexpr std::array forbidden_words{
    "thread_local", "__thread", "_Thread_local", "_GLOBAL_OFFSET_TABLE_", "__dso_handle"};
/// PTX in a kernel is what the rewriter makes C++ of; it refuses all other assembler.
constexpr std::array assembler_words{"asm", "__asm", "__asm__"};
constexpr std::array forbidden_beginnings{
    "__tsan_", "__sanitizer_", "__ubsan_", "__atomic_", "__sync_", "__cxa_", "__libc_", "__wrap_"};
/// Where the checker and its library have their names.
constexpr std::array our_namespaces{"checker", "judge", "lab", "doctest", "learner"};

constexpr std::array allowed_pragmas{"unroll", "nounroll", "once"};

template <class List> bool among(std::string_view word, const List &list) {
  return std::ranges::find(list, word) != list.end();
}
inline bool among(std::string_view word, const Names &list) { return list.contains(word); }
template <class List> bool begins_like(std::string_view word, const List &beginnings) {
  return std::ranges::any_of(beginnings, [&](const auto &one) { return word.starts_with(one); });
}

inline std::string look_at_pragma(std::string_view name) {
  return among(name, allowed_pragmas) || name.starts_with("nv_")
             ? ""
             : fmt::format("#pragma {}: no exercise needs that", name);
}

} // namespace tutor
