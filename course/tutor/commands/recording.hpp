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

} // namespace tutor::commands
