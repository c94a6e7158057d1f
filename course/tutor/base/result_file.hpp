#pragma once

#include "base/paths.hpp"

#include <string_view>

/// \file
/// The files that a user asks for by name.

namespace tutor {

/// Said before hours of work, not after them. \throws Failure (failed) where the file could not be written
void expect_writable(const fs::path &file);

/// \throws Failure (failed) where it cannot be written
void write_result(const fs::path &file, std::string_view text);

} // namespace tutor
