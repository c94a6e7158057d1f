#include "base/diff.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "grade/formats.hpp"
#include "grade/text.hpp"

#include <fmt/format.h>
#include <map>

namespace tutor::grading {
namespace {

/// Without what editors and platforms change without being asked.
std::string as_written(std::string text) {
  std::erase(text, '\r');
  return without_mark(std::move(text));
}

/// Each line of the stub takes one like it away, wherever it stands. (A difference would take memory by the
/// square of what somebody handed in.)
std::string own_lines(const std::string &stub, const std::string &text) {
  std::map<std::string, int> of_stub;
  for (const std::string &line : split_lines(as_written(stub))) {
    ++of_stub[line];
  }
  std::string own;
  for (const std::string &line : split_lines(as_written(text))) {
    own += of_stub[line]-- > 0 ? "\n" : line;
  }
  return own;
}

} // namespace

std::string export_own_lines(const Class &all, const fs::path &out) {
  std::map<std::string, std::string> folders; // students' by their names
  std::map<std::pair<std::string, const Exercise *>, int> attempts;
  FileNames names;
  std::size_t files = 0;
  for (const Submission &one : all.submissions) {
    if (one.file.empty()) {
      continue;
    }
    auto [folder, is_new] = folders.try_emplace(one.student);
    folder->second = is_new ? names.name_for(one.student) : folder->second;
    const int attempt = ++attempts[{one.student, one.exercise}];
    write_file(out / (one.exercise->chapter + "." + one.exercise->name) / folder->second /
                   (attempt > 1 ? fmt::format("attempt {}", attempt) : "") /
                   one.exercise->file_name(),
               own_lines(read_file(one.exercise->stub), read_file(one.file)));
    ++files;
  }
  return fmt::format("{} with {}", out, counted(files, "file"));
}

} // namespace tutor::grading
