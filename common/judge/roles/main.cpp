/// @file
/// checker_roles: a checker, as the rewriter leaves it, for the two processes of a check.
///
///     checker_roles CHECKER.cpp JUDGE.cpp CALLS.cpp --library DIR
///
/// A checker declares what it calls of the learner's file. JUDGE.cpp is the checker with a definition of
/// each of these functions that has the learner's process call it. CALLS.cpp, which is linked to the
/// learner's file, makes the same functions known there. It holds declarations and the checker's own
/// kernels, and nothing else of the checker. Headers under DIR declare nothing of the learner's.

#include "declarations.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

[[noreturn]] void die(int status, const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(status);
}

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    die(1, path.string() + ": cannot be read");
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

void write_file(const fs::path &path, const std::string &content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush())
    die(1, path.string() + ": cannot be written");
}

/// The file that a rewritten copy was made of: its first #line tells.
fs::path origin_of(const fs::path &path, const std::string &text) {
  const std::size_t line = text.find("#line 1 \"");
  if (line == std::string::npos || line > 100)
    return path;
  const std::size_t first = line + 9;
  return text.substr(first, text.find('"', first) - first);
}

/// The checker and the headers of its own.
struct Sources {
  fs::path library;
  std::set<fs::path> seen{};
  std::vector<roles::Declarations> all{};

  void read(const fs::path &path) {
    if (!seen.insert(path).second)
      return;
    const std::string text = read_file(path);
    const fs::path origin = origin_of(path, text);
    const std::string below = origin.lexically_relative(library).string();
    const bool of_library = !below.empty() && below.rfind("..", 0) != 0;
    if (of_library && origin.extension() != ".cu")
      return;
    roles::Declarations found(text, origin.stem().string());
    for (const std::string &name : found.includes())
      if (fs::path(name).is_absolute() && fs::exists(name))
        read(name);
    all.push_back(std::move(found));
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 6 || std::string(argv[4]) != "--library")
    die(2, "usage: checker_roles CHECKER.cpp JUDGE.cpp CALLS.cpp --library DIR");
  try {
    Sources sources{fs::path(argv[5])};
    sources.read(argv[1]);
    write_file(argv[2], roles::judge_of(read_file(argv[1]), sources.all));
    write_file(argv[3], roles::calls_of(sources.all));
  } catch (const std::exception &error) {
    die(1, std::string(argv[1]) + ": " + error.what());
  }
}
