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
  Command command{build.program(chapter).string()};
  std::vector<std::string> targets{chapter.id};
  if (backend == Backend::cpu) {
    // On the emulator a step is known by what is counted, and the observed program counts.
    targets.push_back(Build::observed_target(chapter));
    command.insert(command.end(), {"--counted-by", build.observed_program(chapter).string()});
  }
  build.build_all(targets, fmt::format("building {}", chapter.id));
  command.insert(command.end(), arguments.begin(), arguments.end());
  become(command);
}

} // namespace tutor::commands
