#include "base/result_file.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace tutor {
namespace {

Failure cannot_write(const fs::path &file) {
  return {Exit::failed,
          fmt::format("cannot write {}: name a file in a folder that is there and yours", file)};
}

} // namespace

void expect_writable(const fs::path &file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (fs::is_directory(file) || !fs::is_directory(folder) ||
      access(fs::exists(file) ? file.c_str() : folder.c_str(), W_OK) != 0) {
    throw cannot_write(file);
  }
}

void write_result(const fs::path &file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) {
    throw cannot_write(file);
  }
}

} // namespace tutor
