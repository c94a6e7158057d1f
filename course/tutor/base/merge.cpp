#include "base/merge.hpp"

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace tutor {
namespace {

/// A text without the "\r" of Windows' line ends.
std::string with_plain_line_ends(std::string_view text) {
  std::string plain = replaced(std::string(text), "\r\n", "\n");
  if (plain.ends_with('\r')) {
    plain.pop_back();
  }
  return plain;
}

} // namespace

Merge merge_texts(std::string_view base, std::string_view ours, std::string_view theirs) {
  require_program("git", "git");
  const WorkFolder folder;
  write_file(folder.path() / "ours", with_plain_line_ends(ours));
  write_file(folder.path() / "base", base);
  write_file(folder.path() / "theirs", theirs);
  const Command command{"git",
                        "merge-file",
                        "-p",
                        "-L",
                        "yours: keep what is right of both, then remove the three lines of signs",
                        "-L",
                        "before",
                        "-L",
                        "the course's new version",
                        "ours",
                        "base",
                        "theirs"};
  Captured merged = capture(command, folder.path());
  if (merged.exit_code < 0 || merged.exit_code > 127) {
    throw failure("git merge-file: {}", merged.output);
  }
  return {std::move(merged.output), static_cast<std::size_t>(merged.exit_code)};
}

int first_conflict(std::string_view text) {
  const std::size_t at = ("\n" + std::string(text)).find("\n<<<<<<< ");
  return at == std::string::npos
             ? 0
             : static_cast<int>(1 + std::count(text.begin(), text.begin() + at, '\n'));
}

} // namespace tutor
