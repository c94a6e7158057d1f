#pragma once

#include "json_file.hpp"

#include <filesystem>
#include <string>

/// @file
/// A terminal session as an SVG that moves, made of recorded outputs.

namespace tutor::lessons {

/// The picture of a description {"kind": "cast", "title", "description", "scenes": [{"lesson", "output",
/// "from", "to"}]}: each scene types the command of a lesson's `output` block (a lesson is named from the
/// repository's root) and shows the lines recorded of it, from the first that matches `from` to the next
/// that matches `to`. Where motion is unwanted the first scene stands still. Throws LessonError.
std::string draw_cast(const Json &description, const std::filesystem::path &root);

} // namespace tutor::lessons
