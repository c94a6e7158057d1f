#include "commands/commands.hpp"

#include "base/text.hpp"
#include "python.hpp"

namespace tutor::commands {

Exit lessons(const Course &course, const ChapterRequest &request) {
  const auto chapters =
      each(request.words, [&](const std::string &word) { return course.find(word); });
  Build build(course.root(), Backend::cpu);
  Command command = python(course, "lessons/main.py");
  append(command, {course.root().string(), build.folder().string()});
  if (request.check) {
    command.push_back("--check");
  }
  if (request.record) {
    command.push_back("--record");
    for (const Chapter &chapter : chapters.empty() ? course.chapters() : chapters) {
      build.build_all({chapter.id, Build::observed_target(chapter)}, "building " + chapter.id);
    }
  }
  for (const Chapter &chapter : chapters) {
    command.push_back((chapter.folder / "README.md").string());
    const fs::path more = chapter.folder / "more";
    if (fs::is_directory(more)) {
      for (const auto &file : fs::directory_iterator(more)) {
        command.push_back(file.path().string());
      }
    }
  }
  become(command);
}

} // namespace tutor::commands
