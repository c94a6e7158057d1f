#pragma once

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tutor::commands {

/// What lies in docs/results, or what a program has written with --json.
/// \throws Failure (failed) for a file that is none of these
inline nlohmann::ordered_json read_recording(const fs::path &file) {
  nlohmann::ordered_json json = read_json(file);
  if (!json.is_object()) {
    throw failure("{} is no recording: record it", file);
  }
  return json;
}

/// The entry of a list that has this name, or its end.
inline auto find_named(const nlohmann::ordered_json &list, const nlohmann::ordered_json &name) {
  return std::ranges::find_if(
      list, [&](const nlohmann::ordered_json &one) { return one.at("name") == name; });
}

/// The entries of an object with these keys, as far as there are any; of a fraction four digits.
inline nlohmann::ordered_json picked(const nlohmann::ordered_json &object,
                                     std::initializer_list<const char *> keys) {
  nlohmann::ordered_json result;
  for (const char *key : keys) {
    if (object.contains(key)) {
      result[key] = object[key];
      if (result[key].is_number_float()) {
        result[key] = std::stod(fmt::format("{:.4g}", result[key].get<double>()));
      }
    }
  }
  return result;
}

} // namespace tutor::commands
