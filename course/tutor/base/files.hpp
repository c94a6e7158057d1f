#pragma once

#include "base/paths.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

/// @file
/// Whole files in and out, and folders that are gone afterwards.

namespace tutor {

/// The bytes of a file; throws Failure naming it when it cannot be read.
std::string read_file(const fs::path &file);

/// What a file of JSON holds; discarded where it is not there, or is none.
nlohmann::ordered_json read_json(const fs::path &file);

/// Replaces a file, or makes it and its folder; throws Failure when that fails.
void write_file(const fs::path &file, std::string_view text);

/// For files that a user asks for by name: said before hours of work, not after them.
/// \throws Failure (failed) where the file could not be written
void expect_writable(const fs::path &file);
/// \throws Failure (failed) where it cannot be written
void write_result(const fs::path &file, std::string_view text);

/// A folder that is removed with all that is in it: at the end of this object, or of its process, however that
/// ends. Ctrl-C and kill -9 call no destructor, so a shell of its own waits for the end of the process.
class WorkFolder {
public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;
  const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

} // namespace tutor
