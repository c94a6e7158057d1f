#include "commands/commands.hpp"

#include "base/environment.hpp"
#include "base/process.hpp"

#include <fmt/format.h>
#include <thread>

namespace tutor::commands {

Exit test(const Course &course, const std::vector<std::string> &arguments) {
  require_program("doxygen", "doxygen");
  require_program("python3", "python3");
  Build build(course.root(), Backend::cpu);
  build.build("all", "building everything");

  // One more than there are cores, as some tests wait: for processes, and for what must not come.
  Command ctest{
      "ctest", "--preset", "cpu", fmt::format("-j{}", std::thread::hardware_concurrency() + 1)};
  ctest.insert(ctest.end(), arguments.begin(), arguments.end());
  return tutor::run(ctest, course.root()) == 0 ? Exit::ok : Exit::failed;
}

} // namespace tutor::commands
