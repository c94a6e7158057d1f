#include "loop/editor.hpp"

#include "base/build.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace tutor {
namespace {

/// How clangd shall read a CUDA file: clang's CUDA mode knows `<<<…>>>`, and needs no CUDA for it. Its own headers
/// are named from `folder`.
Command command_for(const Course &course, const fs::path &file, const fs::path &folder) {
  const fs::path headers = course.root() / "emulator/include",
                 made = Build(course.root(), Backend::cpu).folder() / "emulator/include";
  Command command =
      words_of("clang++ -x cuda --cuda-host-only -nocudainc -nocudalib -Wno-unknown-cuda-version "
               "-Xclang -fcuda-allow-variadic-functions -std=c++20");
  append(command, {"-isystem", headers.string(), "-isystem", made.string()});
  append(command, {"-include", (headers / "emu/for_editors.hpp").string()});
  for (const fs::path &its : course.include_folders()) {
    command.push_back("-I" + its.string());
  }
  append(command, {"-I" + folder.string(), "-c", file.string()});
  return command;
}

/// The CUDA files that people open: exercises, the learner's copies, chapters; and where each looks for headers.
std::map<fs::path, fs::path> cuda_files(const Course &course,
                                        const std::vector<Exercise> &exercises,
                                        const Workspace &workspace) {
  std::map<fs::path, fs::path> files;
  for (const Exercise &exercise : exercises) {
    const fs::path shared =
        exercise.checker.parent_path().parent_path(); // by the checkers of a chapter
    files.emplace(exercise.checker, shared);
    for (const fs::path &file : {exercise.stub, workspace.file(exercise)}) {
      files.emplace(file, file.parent_path());
    }
  }
  for (const Chapter &chapter : course.chapters()) {
    for (const fs::path &file : chapter.kernels()) {
      files.emplace(file, chapter.folder);
    }
  }
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
  for (const auto &[file, folder] : cuda_files(course, exercises, workspace)) {
    commands.push_back({{"directory", course.root().string()},
                        {"file", file.string()},
                        {"arguments", command_for(course, file, folder)}});
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
