#include "grade/toolchain.hpp"

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "exercises/check_build.hpp"
#include "grade/text.hpp"

#include <fstream>
#include <map>

namespace tutor::grading {
namespace {

/// The value of a variable in a build folder's CMakeCache.txt; empty where there is none.
std::string cached(const fs::path &build, const std::string &name) {
  std::ifstream stream(build / "CMakeCache.txt");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(name + ":")) {
      return line.substr(line.find('=') + 1);
    }
  }
  return "";
}

std::string compiler_of(const fs::path &build, Backend backend) {
  const std::string compiler =
      cached(build, backend == Backend::gpu ? "CMAKE_CUDA_COMPILER" : "CMAKE_CXX_COMPILER");
  if (compiler.empty()) {
    return "";
  }
  const std::string said = capture({compiler, "--version"}).output;
  return backend == Backend::gpu ? said : first_line(said);
}

std::string commit_of(const fs::path &root) {
  const Captured head = capture({"git", "-C", root.string(), "rev-parse", "HEAD"});
  if (head.exit_code != 0) {
    return "";
  }
  const bool changed =
      !capture({"git", "-C", root.string(), "status", "--porcelain", "-uno"}).output.empty();
  return first_line(head.output) + (changed ? " with changes" : "");
}

/// The names and contents of all files in a folder.
std::string hash_of_folder(const fs::path &folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder).string()] = sha256(read_file(entry.path()));
    }
  }
  std::string hashes;
  for (const auto &[name, hash] : files) {
    hashes += name + hash;
  }
  return sha256(hashes);
}

/// Everything that the checks are made of: the words of exercises/tools.txt that name files of the build, or folders
/// of the course's headers.
std::string hash_of_tools(const fs::path &build, const fs::path &root) {
  const fs::path list = build / "exercises" / "tools.txt";
  if (!fs::exists(list)) {
    return "";
  }
  const std::string text = read_file(list);
  std::string hashes = sha256(text);
  for (const std::string &line : split(text, '\n')) {
    for (const std::string &word : split(line, '\t')) {
      if (word.starts_with(build.string()) && fs::is_regular_file(word)) {
        hashes += sha256(read_file(word));
      } else if ((word.starts_with(build.string()) || word.starts_with(root.string())) &&
                 fs::is_directory(word)) {
        hashes += hash_of_folder(word);
      }
    }
  }
  return sha256(hashes);
}

std::string hash_of(const fs::path &file) {
  return file.empty() || !fs::exists(file) ? "" : sha256(read_file(file));
}

} // namespace

Toolchain::Toolchain(const Course &course, Backend backend)
    : root_(course.root()), backend_(backend) {
  const fs::path build = Build(course.root(), backend).folder();
  common_.backend = name_of(backend);
  common_.compiler = compiler_of(build, backend);
  common_.course = hash_of_tools(build, course.root());
  common_.commit = commit_of(course.root());
}

Receipt Toolchain::receipt_for(const Assigned &assigned) const {
  Receipt receipt = common_;
  receipt.stub = hash_of(assigned.exercise.stub);
  receipt.checker = hash_of(assigned.exercise.checker);
  // The objects, as what they are made of includes more than those files.
  const CheckTools tools(root_, backend_);
  std::vector<BuiltChecker> checkers{tools.checker(assigned.exercise)};
  if (!assigned.extra_check.empty()) {
    checkers.push_back(tools.extra_checker(assigned.extra_check));
  }
  for (const BuiltChecker &built : checkers) {
    for (const std::vector<fs::path> &objects : {built.objects, built.calls}) {
      for (const fs::path &object : objects) {
        receipt.course = sha256(receipt.course + hash_of(object));
      }
    }
  }
  receipt.extra_check = hash_of(assigned.extra_check);
  return receipt;
}

std::vector<fs::path> headers_for(const Course &course, Backend backend) {
  std::vector<fs::path> headers{course.root() / "emulator",
                                course.root() / "common",
                                course.root() / "course" / "grading",
                                course.root() / "course" / "ladder"};
  for (const char *ending : {"", ".gch", ".pch"}) {
    headers.push_back(Build(course.root(), backend).folder() / "exercises" /
                      (std::string("learner.hpp") + ending));
  }
  return headers;
}

} // namespace tutor::grading
