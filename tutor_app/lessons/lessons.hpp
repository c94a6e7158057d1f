#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// @file
/// Fills the marker blocks of all lessons: what `./tutor lessons` does. README.md lists the
/// markers.

namespace tutor::lessons {

/// What to do with which lessons.
struct Request {
  std::filesystem::path root; ///< the repository
  std::vector<std::filesystem::path> files; ///< empty: README.md, docs/*.md, chapters/*/*.md
  bool check = false; ///< change nothing, report what is stale
  bool rules = false; ///< say which lessons owe their reader something (rules.hpp)
  bool record = false; ///< run the chapters' programs anew for `output` blocks
  std::filesystem::path programs; ///< build folder with chapters/NAME/NAME, for `record`
};

/// What was found and done; each message is one line that starts with file:line.
struct Outcome {
  std::size_t lessons = 0;
  std::size_t blocks = 0;
  std::vector<std::string> errors; ///< bad markers, missing files
  std::vector<std::string> stale; ///< with `check`: blocks that regenerating would change
  std::vector<std::string> breaches; ///< with `rules`: what lessons owe
  std::vector<std::string> changed; ///< without: files that were rewritten
};

/// Fills or checks the lessons. Never throws for what a lesson holds: that ends up in `errors`.
Outcome process(const Request &request);

/// process(), its messages printed; returns the exit code: 0 fine, 1 something is stale or owed, 2 errors.
int run(const Request &request);

} // namespace tutor::lessons
