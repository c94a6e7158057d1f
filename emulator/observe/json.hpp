/// \file
/// JSON of a few keys, in the order in which they are named. (A library for it takes as long to compile as all of the
/// other reports.)
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace emu {

/// A value: null, a number, a text, a list, or parts with names.
class Json {
public:
  struct Part;

  Json() = default; // null
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(std::integral auto value) : text_(std::to_string(value)) {}
  Json(double value);
  Json(const char *text) : Json(std::string(text)) {}
  Json(const std::string &text);
  Json(std::initializer_list<Part> parts);
  template <class T> Json(const std::vector<T> &list) : kind_(Kind::list) {
    values_.assign(list.begin(), list.end());
  }
  template <class T, size_t N>
  Json(const T (&list)[N]) requires(!std::same_as<T, char>) : kind_(Kind::list) {
    values_.assign(list, list + N);
  }
  static Json list() { return std::vector<Json>(); }

  void push_back(Json value) { values_.push_back(std::move(value)); }
  /// Of a list, how many it has.
  size_t size() const { return values_.size(); }
  /// The part of this name, which comes last if there was none.
  Json &operator[](const std::string &name);

  /// In one line without blanks; `indented`: in a line for each value, each level two columns further in.
  std::string text(bool indented = false) const;

private:
  enum class Kind { plain, list, parts };
  void write(std::string &out, bool indented, size_t column) const;

  Kind kind_ = Kind::plain;
  std::string text_ = "null"; // of a plain one
  std::vector<std::string> names_; // of parts
  std::vector<Json> values_;
};

struct Json::Part {
  const char *name;
  Json value;
};

} // namespace emu
