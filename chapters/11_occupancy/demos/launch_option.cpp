#include "demos/launch_option.hpp"

#include "calculator.hpp"
#include "ladder/chapter.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

[[noreturn]] void refuse(const char *text) {
  throw lab::UsageError(std::string("--launch takes THREADS,REGISTERS,SHARED such as 256,64,48K "
                                    "(threads from 1 to 1024, registers from 1 to 255, shared "
                                    "memory in bytes or, with a K, in KB), not \"") +
                        text + "\"");
}

occupancy::Launch read_launch(const char *text) {
  char numbers[3][10]; // of digits alone: %d takes signs and blanks, too
  int length = 0;
  std::sscanf(text, "%9[0-9],%9[0-9],%9[0-9]%n", numbers[0], numbers[1], numbers[2], &length);
  const std::string unit = text + length;
  if (length == 0 || (unit != "" && unit != "K" && unit != "k"))
    refuse(text);
  const int threads = std::atoi(numbers[0]), registers = std::atoi(numbers[1]),
            shared = std::atoi(numbers[2]);
  if (threads < 1 || threads > occupancy::threads_per_block || registers < 1 ||
      registers > occupancy::registers_per_thread || shared > 1 << 20)
    refuse(text);
  return {threads, registers, static_cast<std::size_t>(shared) * (unit.empty() ? 1 : 1024), 1};
}

// Where --launch stands; argc if nowhere.
int place_of_launch(int argc, char **argv) {
  int at = 1;
  while (at < argc && std::strcmp(argv[at], "--launch") != 0)
    ++at;
  return at;
}

int print_launch(int argc, char **argv) {
  const int at = place_of_launch(argc, argv);
  if (at + 2 != argc)
    refuse(at + 2 < argc ? argv[at + 2] : "");
  std::printf("Blocks that a multiprocessor holds, by each limit alone:\n\n%s",
              table_text(read_launch(argv[at + 1])).c_str());
  return 0;
}

} // namespace

bool asks_for_launch(int argc, char **argv) { return place_of_launch(argc, argv) < argc; }

int answer_launch(int argc, char **argv) { return lab::guarded_main(print_launch, argc, argv); }
