#include "commands/commands.hpp"
#include "python.hpp"

namespace fs = std::filesystem;

namespace tutor::commands {

Exit calibrate(const Course &course,
               const std::string &like,
               const std::string &results,
               const fs::path &out) {
  Command command = python(course, "lessons/calibrate.py");
  const fs::path base = course.root() / "course/time_model/devices" / (like + ".json");
  command.insert(command.end(), {base.string(), results, out.string()});
  become(command);
}

} // namespace tutor::commands
