#include "commands/commands.hpp"

#include "base/process.hpp"

namespace tutor::commands {

Exit lessons(const Course &course, bool check, bool record) {
  Build build(course.root(), Backend::cpu);
  build.build("lesson_tool", "building the lesson tool");
  Command command{(build.folder() / "tutor_app" / "lessons" / "lesson_tool").string(),
                  course.root().string(),
                  build.folder().string()};
  if (check) {
    command.push_back("--check");
  }
  if (record) {
    command.push_back("--record");
    for (const Chapter &chapter : course.chapters()) {
      build.build_all({chapter.id, Build::observed_target(chapter)}, "building " + chapter.id);
    }
  }
  become(command);
}

} // namespace tutor::commands
