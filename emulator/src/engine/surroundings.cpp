#include "engine/surroundings.hpp"

#include <charconv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

namespace emu {

namespace {

template <class Number>
Number
from_environment(const char *name, Number lowest, Number highest, Number usual, const char *what) {
  const char *text = std::getenv(name);
  if (text == nullptr || *text == '\0')
    return usual;
  Number number{};
  const char *end = text + std::strlen(text);
  const auto [read, error] = std::from_chars(text, end, number);
  if (error == std::errc{} && read == end && number >= lowest && number <= highest)
    return number;
  std::fprintf(stderr, "emulator: %s=%s: give %s\n", name, text, what);
  std::_Exit(2);
}

} // namespace

int number_from_environment(const char *name, int lowest, int highest, int usual) {
  char what[64];
  std::snprintf(what, sizeof what, "a whole number from %d to %d", lowest, highest);
  return from_environment(name, lowest, highest, usual, what);
}

int64_t count_from_environment(const char *name, int64_t usual) {
  return from_environment<int64_t>(name, 0, INT64_MAX, usual, "a whole number from 0");
}

double seconds_from_environment(const char *name, double usual) {
  return from_environment(name, 0.0, 1e9, usual, "seconds, such as 0.5");
}

std::size_t
bytes_from_environment(const char *name, std::size_t unit, int most, std::size_t usual) {
  char what[64];
  std::snprintf(what, sizeof what, "a number up to %d, such as 0.5", most);
  const double units = from_environment(name, 0.0, double(most), -1.0, what);
  return units < 0 ? usual : static_cast<std::size_t>(std::llround(units * double(unit)));
}

void flush_output() {
  std::cout.flush(); // which has a buffer of its own after sync_with_stdio(false)
  for (FILE *const stream : {stdout, stderr})
    for (int tries = 0; tries < 100; ++tries) { // who holds its lock may wait for ever
      if (ftrylockfile(stream) == 0) {
        fflush_unlocked(stream);
        funlockfile(stream);
        break;
      }
      usleep(1000);
    }
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
