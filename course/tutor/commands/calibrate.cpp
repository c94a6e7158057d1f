#include "commands/commands.hpp"
#include "python.hpp"

namespace tutor::commands {

Exit calibrate(const Course &course, const ChapterRequest &request) {
  Command command = python(course, "lessons/calibrate.py");
  const fs::path base = course.root() / "emulator/devices" / (request.device + ".json");
  append(command, {base.string(), request.results, request.out});
  become(command);
}

} // namespace tutor::commands
