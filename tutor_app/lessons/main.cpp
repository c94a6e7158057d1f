#include "lessons.hpp"

#include <fmt/format.h>

/// lesson_tool ROOT PROGRAMS [--check] [--record] [LESSON…]: what `tutor lessons` runs, in a repository and a
/// build folder. Fills the generated blocks of the lessons, or checks that it would change nothing.
int main(int argc, char **argv) {
  tutor::lessons::Request request;
  if (argc < 3) {
    fmt::print(stderr, "lesson_tool: a repository and a build folder are needed\n");
    return 2;
  }
  request.root = argv[1];
  request.programs = argv[2];
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--check")
      request.check = true;
    else if (word == "--record")
      request.record = true;
    else
      request.files.push_back(word);
  }
  request.rules = request.check;
  return tutor::lessons::run(request);
}
