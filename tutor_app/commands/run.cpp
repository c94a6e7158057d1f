#include "commands/commands.hpp"

#include "process.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

namespace tutor::commands {

Exit run(const Course &course,
         const std::string &word,
         Backend backend,
         const std::vector<std::string> &arguments) {
  const Chapter &chapter = course.find(word);
  Build build(course.root(), backend);
  build.build(chapter.id, fmt::format("building {}", chapter.id));

  Command command{build.program(chapter).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  become(command);
}

} // namespace tutor::commands
