#include "base/files.hpp"

#include "base/failure.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace tutor {

std::string read_file(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file)) {
    throw Failure(Exit::failed, fmt::format("cannot read {}: correct its name", file.string()));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

void write_file(const fs::path &file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    throw Failure(Exit::failed,
                  fmt::format("cannot write {}: check its permissions", file.string()));
  }
}

WorkFolder::WorkFolder() {
  std::string name = (fs::temp_directory_path() / "build-first-").string() + std::string(6, 'X');
  if (mkdtemp(name.data()) == nullptr) {
    throw Failure(Exit::failed,
                  fmt::format("cannot make a folder in {}: {}",
                              fs::temp_directory_path().string(),
                              std::strerror(errno)));
  }
  path_ = fs::canonical(name);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace tutor
