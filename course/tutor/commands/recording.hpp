#pragma once

#include "base/failure.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tutor::commands {

/// What lies in docs/results, or what a program has written with --json.
/// \throws Failure (failed) for a file that is none of these
inline nlohmann::ordered_json read_recording(const std::filesystem::path &file) {
  std::ifstream stream(file);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(stream, nullptr, false);
  if (!json.is_object()) {
    throw failure("{} is no recording: record it", file);
  }
  return json;
}

} // namespace tutor::commands
