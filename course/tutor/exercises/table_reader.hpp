#pragma once

#include "base/failure.hpp"
#include "base/paths.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.h>

/// \file
/// TOML files that people write: whatever is wrong with one is told with its line.

namespace tutor {

/// \throws Failure (failed) "FILE:LINE: what is wrong with it"
inline toml::table parse_toml(const fs::path &file) {
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error &error) {
    throw failure("{}:{}: {}", file, error.source().begin.line, error.description());
  }
}

/// Reads one table of a file; refuses keys that nobody asked for.
class TableReader {
public:
  TableReader(const toml::table &table, const fs::path &file, std::string name)
      : table_(table), file_(file), name_(std::move(name)) {}
  /// The table of that name within.
  TableReader table(std::string_view key) const {
    const toml::table *table = need(key).as_table();
    if (!table) {
      refuse(need(key).source().begin.line, fmt::format("{0} must be written as [{0}]", key));
    }
    return {*table, file_, fmt::format("[{}]", key)};
  }

  [[noreturn]] void refuse(unsigned line, const std::string &what) const {
    throw failure("{}:{}: {}", file_, line, what);
  }
  unsigned line() const { return table_.source().begin.line; }

  void allow(std::initializer_list<std::string_view> keys) const {
    for (const auto &[key, value] : table_) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        refuse(key.source().begin.line,
               fmt::format("unknown key '{}'{}; there are: {}",
                           key.str(),
                           name_.empty() ? "" : " in " + name_,
                           fmt::join(keys, ", ")));
      }
    }
  }
  const toml::node &need(std::string_view key) const {
    const toml::node *node = table_.get(key);
    if (!node) {
      refuse(
          line(),
          fmt::format("{} is missing{}", key, name_.empty() ? "" : fmt::format(" in {}", name_)));
    }
    return *node;
  }
  std::string text(std::string_view key) const { return text_of(need(key), key); }
  std::string text_or_nothing(std::string_view key) const {
    const toml::node *node = table_.get(key);
    return node ? text_of(*node, key) : std::string();
  }
  double number(std::string_view key,
                double low,
                double high = std::numeric_limits<double>::infinity()) const {
    const toml::node &node = need(key);
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !(*value >= low) || !(*value <= high) || !std::isfinite(*value)) {
      refuse(node.source().begin.line,
             fmt::format("{} must be a number, {}",
                         key,
                         std::isinf(high) ? fmt::format("{} or more", low)
                                          : fmt::format("{} to {}", low, high)));
    }
    return *value;
  }
  bool has(std::string_view key) const { return table_.contains(key); }
  const toml::table &raw() const { return table_; }

  /// Calls read(TableReader) for each [[key]].
  template <class Read> void each(std::string_view key, Read read) const {
    const toml::node *node = table_.get(key);
    if (!node) {
      return;
    }
    const toml::array *array = node->as_array();
    if (!array || !array->is_homogeneous(toml::node_type::table)) {
      refuse(node->source().begin.line, fmt::format("{0} must be written as [[{0}]]", key));
    }
    for (const toml::node &element : *array) {
      read(TableReader(*element.as_table(), file_, fmt::format("[[{}]]", key)));
    }
  }

private:
  std::string text_of(const toml::node &node, std::string_view key) const {
    const std::string *text = node.is_string() ? &node.as_string()->get() : nullptr;
    if (!text || text->find_first_not_of(" \n\t") == std::string::npos) {
      refuse(node.source().begin.line, fmt::format("{} must be a text with something in it", key));
    }
    return *text;
  }

  const toml::table &table_;
  const fs::path &file_;
  std::string name_;
};

} // namespace tutor
