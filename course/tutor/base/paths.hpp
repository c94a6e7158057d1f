#pragma once

#include <filesystem>
#include <fmt/format.h>

namespace tutor {

namespace fs = std::filesystem;

} // namespace tutor

/// A path in a message is as its user has written it.
template <> struct fmt::formatter<std::filesystem::path> : fmt::formatter<fmt::string_view> {
  template <class Context> auto format(const std::filesystem::path &path, Context &context) const {
    return formatter<string_view>::format(path.native(), context);
  }
};
