#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// @file
/// Recorded figures in JSON, and the paths that name one of them. All functions throw LessonError.

namespace tutor::lessons {

using Json = nlohmann::json;

/// The whole file: parsed once, since most blocks of the lessons look into the same few, and anew when it
/// has changed.
const Json &read_json(const std::filesystem::path &file);

/// The value that a path leads to: keys joined by "/"; inside a list a part is an index, key=value,
/// the element's name or number prefix, or `*`, the first element in which the rest is found.
const Json &
find_value(const Json &root, const std::string &path, const std::filesystem::path &file);

/// `v7` names `v7_warp_shuffle`, and a whole name names itself.
bool names_step(const std::string &word, const std::string &name);

/// A string as it is, anything else as JSON writes it.
std::string as_text(const Json &value);

/// The number under `key`, or nothing where it is missing or null.
std::optional<double> number(const Json &object, const std::string &key);

/// The "ms" of a step as tables write it, in milliseconds; "–" where it was not timed.
std::string milliseconds(const Json &step);

/// The parts between separators; none of an empty text.
std::vector<std::string> split(const std::string &text, char separator);

} // namespace tutor::lessons
