#include "base/diff.hpp"
#include "base/files.hpp"
#include "grade/formats.hpp"
#include "grade/text.hpp"

#include <fmt/format.h>
#include <map>

namespace fs = std::filesystem;

namespace tutor::grading {
namespace {

/// Without what editors and platforms change without being asked.
std::string as_written(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.erase(0, 3);
  }
  std::erase(text, '\r');
  return text;
}

std::string own_lines(const std::string &stub, const std::string &text) {
  std::string own;
  for (const DiffLine &line : diff_texts(as_written(stub), as_written(text)).lines) {
    own += line.change == LineChange::added  ? line.text
           : line.change == LineChange::kept ? "\n"
                                             : "";
  }
  return own;
}

} // namespace

std::string export_own_lines(const Class &all, const fs::path &out) {
  std::map<std::string, std::string> folders; // students' by their names
  FileNames names;
  std::size_t files = 0;
  for (const Submission &one : all.submissions) {
    if (one.file.empty()) {
      continue;
    }
    auto [folder, is_new] = folders.try_emplace(one.student);
    folder->second = is_new ? names.name_for(one.student) : folder->second;
    write_file(out / (one.exercise->chapter + "." + one.exercise->name) / folder->second /
                   one.exercise->file_name(),
               own_lines(read_file(one.exercise->stub), read_file(one.file)));
    ++files;
  }
  return fmt::format("{} with {}", out.string(), counted(files, "file"));
}

} // namespace tutor::grading
