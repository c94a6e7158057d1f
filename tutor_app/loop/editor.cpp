#include "loop/editor.hpp"

#include "base/files.hpp"
#include "base/process.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace tutor {
namespace {

/// How clangd shall read a CUDA file: clang's CUDA mode knows `<<<…>>>`, and needs no CUDA for it.
Command command_for(const fs::path &root, const fs::path &file) {
  return {"clang++",
          "-x",
          "cuda",
          "--cuda-host-only",
          "-nocudainc",
          "-nocudalib",
          "-Wno-unknown-cuda-version",
          "-Xclang",
          "-fcuda-allow-variadic-functions",
          "-std=c++20",
          "-isystem",
          (root / "emulator/include").string(),
          "-include",
          (root / "emulator/include/emu/for_editors.hpp").string(),
          "-I" + (root / "common").string(),
          "-c",
          file.string()};
}

/// The CUDA files that people open: exercises, the learner's copies, chapters.
std::vector<fs::path> cuda_files(const Course &course,
                                 const std::vector<Exercise> &exercises,
                                 const Workspace &workspace) {
  std::vector<fs::path> files;
  for (const Exercise &exercise : exercises) {
    files.insert(files.end(), {exercise.stub, exercise.checker, workspace.file(exercise)});
  }
  for (const Chapter &chapter : course.chapters()) {
    for (const fs::directory_entry &entry : fs::directory_iterator(chapter.folder)) {
      if (entry.path().extension() == ".cu") {
        files.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

void write_if_new(const fs::path &file, const std::string &text) {
  if (!fs::exists(file) || read_file(file) != text) {
    write_whole(file, text);
  }
}

} // namespace

fs::path write_compile_commands(const Course &course,
                                const std::vector<Exercise> &exercises,
                                const Workspace &workspace) {
  nlohmann::ordered_json commands = nlohmann::ordered_json::array();
  for (const fs::path &file : cuda_files(course, exercises, workspace)) {
    commands.push_back({{"directory", course.root().string()},
                        {"file", file.string()},
                        {"arguments", command_for(course.root(), file)}});
  }
  const std::string text = commands.dump(1) + "\n";
  const fs::path home = home_of(course.root()); // nobody may write to an installed course
  const fs::path top = home / "compile_commands.json";
  write_if_new(top, text);
  if (fs::proximate(workspace.folder(), home).native().starts_with("..")) {
    write_if_new(workspace.folder() / "compile_commands.json", text);
  }
  return top;
}

} // namespace tutor
