#include "files.hpp"

#include "markers.hpp"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace tutor::lessons {

std::string read_file(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file))
    throw LessonError(fmt::format("cannot read {}: correct its name", file.string()));
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

void write_file(const std::filesystem::path &file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw LessonError(fmt::format("cannot write {}: check its permissions", file.string()));
}

} // namespace tutor::lessons
