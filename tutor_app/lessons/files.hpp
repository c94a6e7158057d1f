#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// @file
/// Whole files in and out.

namespace tutor::lessons {

/// The bytes of a file; throws LessonError naming it when it cannot be read.
std::string read_file(const std::filesystem::path &file);

/// Replaces a file, or makes it and its folder; throws LessonError when that fails.
void write_file(const std::filesystem::path &file, std::string_view text);

} // namespace tutor::lessons
