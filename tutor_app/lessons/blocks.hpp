#pragma once

#include "markers.hpp"

#include <filesystem>
#include <string>

/// @file
/// The text that belongs between one pair of markers.

namespace tutor::lessons {

/// Where a block stands.
struct Place {
  std::filesystem::path root; ///< the repository; results are named from here
  std::filesystem::path lesson; ///< the file; sources are named from its folder
};

/// The generated text of a block, blank lines around it included. Throws LessonError.
std::string generate(const Block &block, const Place &place);

} // namespace tutor::lessons
