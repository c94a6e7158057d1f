/// \file
/// Finds the definitions of variables for the device: each device has its own, so the emulator must
/// know them all.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// A definition outside functions and classes.
struct DeviceVariables {
  std::vector<std::string> names; // empty: it is none
  size_t semicolon = 0;

  /// What goes behind the definition.
  std::string registrations() const {
    std::string text;
    for (const std::string &name : names) {
      std::string word = name;
      for (char &c : word)
        if (c == ':')
          c = '_';
      text += " static const ::emu::DeviceVariable emu_variable_" + word + "(" + name + ");";
    }
    return text;
  }
};

class DeviceVariableFinder {
public:
  explicit DeviceVariableFinder(const Code &code) : code_(code) {}

  /// \param keyword  __device__ or __constant__, outside functions
  DeviceVariables find(size_t keyword) const {
    size_t k = keyword;
    while (k > 0 && code_.is_name(k - 1))
      --k;
    if (code_[keyword].directive || (k > 0 && code_.is(k - 1, ">")) || in_class(k))
      return {};
    DeviceVariables found;
    for (bool first = true;; first = false) {
      std::string name;
      if (!read_declarator(k, first, name))
        return {};
      found.names.push_back(name);
      if (code_.is(k, ";"))
        break;
      ++k; // the comma
    }
    found.semicolon = k;
    return found;
  }

private:
  bool is_one_of(size_t i, std::initializer_list<std::string_view> words) const {
    for (const std::string_view word : words)
      if (code_.is(i, word))
        return true;
    return false;
  }

  // From `k` to the comma or semicolon behind a declarator; with the first one comes the type.
  // False if this is something else than a definition.
  bool read_declarator(size_t &k, bool with_type, std::string &name) const {
    const size_t begin = k;
    for (; k < code_.size(); ++k) {
      if (is_one_of(k,
                    {"extern",
                     "typedef",
                     "using",
                     "friend",
                     "inline",
                     "constexpr",
                     "operator",
                     "template",
                     "struct",
                     "class",
                     "union",
                     "enum",
                     "__managed__",
                     "__shared__",
                     "__global__",
                     "__host__",
                     "}",
                     ")"}))
        return false;
      if (is_one_of(k, {"[", "=", "{", ",", ";"}))
        break;
      if (code_.is(k, "(")) {
        if (k == begin || !is_one_of(k - 1, {"__align__", "alignas", "__attribute__", "decltype"}))
          return false;
        k = code_.matching_close(k);
      } else if (code_.is(k, "<")) {
        if (!with_type || !skip_angles(k))
          return false;
      } else if (!code_.is_name(k) && !is_one_of(k, {"*", "::"})) {
        return false;
      }
    }
    size_t last = k - 1;
    if (k == begin || k >= code_.size() || !code_.is_name(last))
      return false;
    name = code_.text(last);
    for (; last >= begin + 2 && code_.is(last - 1, "::") && code_.is_name(last - 2); last -= 2)
      name = std::string(code_.text(last - 2)) + "::" + name;
    for (; k < code_.size() && !is_one_of(k, {",", ";"}); ++k)
      if (code_.opens(k))
        k = code_.matching_close(k);
      else if (code_.closes(k))
        return false;
    return k < code_.size();
  }

  // To the > that closes the < at `k`.
  bool skip_angles(size_t &k) const {
    int depth = 0;
    for (; k < code_.size() && !is_one_of(k, {";", "{", "="}); ++k) {
      depth += code_.is(k, "<") - code_.is(k, ">");
      if (depth == 0)
        return true;
    }
    return false;
  }

  bool in_class(size_t i) const {
    int depth = 0;
    for (size_t k = i; k-- > 0;) {
      if (code_[k].directive)
        continue;
      depth += code_.is(k, "}") - code_.is(k, "{");
      if (depth >= 0)
        continue;
      while (k-- > 0 && !is_one_of(k, {";", "{", "}"}))
        if (is_one_of(k, {"struct", "class", "union"}))
          return true;
      return false;
    }
    return false;
  }

  const Code &code_;
};

} // namespace rewriter
