#include "surroundings.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace emu {

int number_from_environment(const char *name, int lowest, int highest, int usual) {
  const char *text = std::getenv(name);
  if (text == nullptr || *text == '\0')
    return usual;
  char *end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (*end == '\0' && number >= lowest && number <= highest)
    return static_cast<int>(number);
  std::fprintf(
      stderr, "emulator: %s=%s: give a whole number from %d to %d\n", name, text, lowest, highest);
  std::_Exit(2);
}

const std::string &this_host() {
  static const std::string host = [] {
    char name[HOST_NAME_MAX + 1] = "?", space[64] = "";
    gethostname(name, sizeof name);
    name[20] = '\0';
    const ssize_t length = readlink("/proc/self/ns/net", space, sizeof space - 1);
    return std::string(name) + "/" +
           std::string(space, length > 0 ? static_cast<size_t>(length) : 0);
  }();
  return host;
}

} // namespace emu
