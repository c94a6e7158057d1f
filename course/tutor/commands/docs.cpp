#include "commands/commands.hpp"

#include "base/environment.hpp"

#include <fmt/format.h>

namespace tutor::commands {

Exit docs(const Course &course, const ChapterRequest &) {
  require_program("doxygen", "doxygen");
  require_program("python3", "python3");
  Build build(course.root(), Backend::cpu);
  build.build("docs", "building the site");
  if (!fs::exists("/usr/share/doxygen-awesome-css")) {
    fmt::print("Its looks are plain; for better ones: {} && cmake --preset cpu\n",
               install_command({"doxygen-awesome-css"}));
  }
  fmt::print("The site: {}\n", build.folder() / "docs" / "html" / "index.html");
  return Exit::ok;
}

} // namespace tutor::commands
