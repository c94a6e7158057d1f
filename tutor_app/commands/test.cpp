#include "commands/commands.hpp"

#include "base/environment.hpp"
#include "base/process.hpp"

#include <fmt/format.h>
#include <thread>

namespace tutor::commands {

Exit test(const Course &course, const std::vector<std::string> &arguments) {
  require_program("doxygen", "doxygen");
  Build build(course.root(), Backend::cpu);
  build.build("all", "building everything");

  Command ctest{"ctest", "--preset", "cpu"};
  ctest.push_back(fmt::format("-j{}", std::max(1U, std::thread::hardware_concurrency())));
  ctest.insert(ctest.end(), arguments.begin(), arguments.end());
  return tutor::run(ctest, course.root()) == 0 ? Exit::ok : Exit::failed;
}

} // namespace tutor::commands
