/// @file
/// checker_roles: a checker for the two processes of a check.
///
///     checker_roles CHECKER.cu JUDGE.cu CALLS.cu
///
/// A checker declares what it calls of the learner's file. JUDGE.cu is the checker with a definition of
/// each of these functions that has the learner's process call it. CALLS.cu, which is linked to the
/// learner's file, makes the same functions known there. It holds declarations and the checker's own
/// kernels, and nothing else of the checker.

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

/// The checker and the headers of its own, which lie beside it.
struct Sources {
  std::set<fs::path> seen{};
  std::vector<roles::Declarations> all{};

  void read(const fs::path &path) {
    if (!seen.insert(path).second)
      return;
    roles::Declarations found(read_file(path), path.stem().string());
    for (const std::string &name : found.includes()) {
      const fs::path own = path.parent_path() / name;
      if (fs::exists(own))
        read(fs::canonical(own));
    }
    all.push_back(std::move(found));
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    die(2, "usage: checker_roles CHECKER.cu JUDGE.cu CALLS.cu");
  try {
    const fs::path checker = fs::canonical(argv[1]);
    Sources sources;
    sources.read(checker);
    write_file(argv[2], roles::judge_of(read_file(checker), checker.string(), sources.all));
    write_file(argv[3], roles::calls_of(sources.all));
  } catch (const std::exception &error) {
    die(1, std::string(argv[1]) + ": " + error.what());
  }
}
