#include "json_file.hpp"

#include "markers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace tutor::lessons {

namespace {

/// Whether a part of a path means this element of a list.
bool means_element(const std::string &part, std::size_t index, const Json &element) {
  if (part == std::to_string(index))
    return true;
  if (!element.is_object())
    return false;
  const std::size_t equals = part.find('=');
  if (equals != std::string::npos) {
    const auto found = element.find(part.substr(0, equals));
    return found != element.end() && as_text(*found) == part.substr(equals + 1);
  }
  return element.contains("name") && names_step(part, as_text(element["name"]));
}

const Json *child(const Json &node, const std::string &part) {
  if (node.is_object() && node.contains(part))
    return &node[part];
  if (node.is_array())
    for (std::size_t i = 0; i < node.size(); ++i)
      if (means_element(part, i, node[i]))
        return &node[i];
  return nullptr;
}

/// The value that parts[first…] lead to, or null; `reached` is the furthest part that was missing.
const Json *find_parts(const Json &node,
                       const std::vector<std::string> &parts,
                       std::size_t first,
                       std::size_t &reached) {
  if (first == parts.size())
    return &node;
  reached = std::max(reached, first);
  if (parts[first] == "*" && node.is_array()) {
    for (const Json &element : node)
      if (const Json *found = find_parts(element, parts, first + 1, reached))
        return found;
    return nullptr;
  }
  const Json *next = child(node, parts[first]);
  return next == nullptr ? nullptr : find_parts(*next, parts, first + 1, reached);
}

} // namespace

const Json &read_json(const std::filesystem::path &file) {
  struct Parsed {
    std::filesystem::file_time_type written;
    Json json;
  };
  static std::map<std::filesystem::path, Parsed> parsed;
  std::ifstream stream(file);
  if (!stream)
    throw LessonError(fmt::format("cannot read {}: record it or correct its name", file.string()));
  const auto written = std::filesystem::last_write_time(file);
  const auto known = parsed.find(file);
  if (known != parsed.end() && known->second.written == written)
    return known->second.json;
  try {
    return (parsed[file] = {written, Json::parse(stream)}).json;
  } catch (const Json::parse_error &) {
    throw LessonError(fmt::format("{} is not valid JSON: record it anew", file.string()));
  }
}

bool names_step(const std::string &word, const std::string &name) {
  return name == word || name.starts_with(word + "_");
}

std::string as_text(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::optional<double> number(const Json &object, const std::string &key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    return std::nullopt;
  return found->get<double>();
}

std::string milliseconds(const Json &step) {
  const std::optional<double> value = number(step, "ms");
  return value ? fmt::format("{:.{}f}", *value, *value < 10 ? 4 : 2) : "–";
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

const Json &
find_value(const Json &root, const std::string &path, const std::filesystem::path &file) {
  const std::vector<std::string> parts = split(path, '/');
  std::size_t reached = 0;
  if (const Json *found = find_parts(root, parts, 0, reached))
    return *found;
  throw LessonError(
      fmt::format("{} has no '{}' (looking for '{}')", file.string(), parts[reached], path));
}

} // namespace tutor::lessons
