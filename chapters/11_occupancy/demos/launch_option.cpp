#include "demos/launch_option.hpp"

#include "calculator.hpp"
#include "ladder/chapter.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

[[noreturn]] void refuse(const char *text) {
  throw lab::UsageError(std::string("--launch takes THREADS,REGISTERS,SHARED such as 256,64,48K "
                                    "(threads from 1 to 1024, registers from 1 to 255, shared "
                                    "memory in bytes or, with a K, in KB), not \"") +
                        text + "\"");
}

// A whole number from `low` to `high` and the character after it; moves `text` on past both.
long read_part(const char *&text, const char *all, long low, long high, char &after) {
  if (*text < '0' || *text > '9')
    refuse(all);
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (value < low || value > high)
    refuse(all);
  after = *end;
  text = after == '\0' ? end : end + 1;
  return value;
}

occupancy::Launch read_launch(const char *all) {
  const char *text = all;
  char after = '\0';
  occupancy::Launch launch = {};
  launch.barriers = 1;
  launch.threads = static_cast<int>(read_part(text, all, 1, occupancy::threads_per_block, after));
  if (after != ',')
    refuse(all);
  launch.registers =
      static_cast<int>(read_part(text, all, 1, occupancy::registers_per_thread, after));
  if (after != ',')
    refuse(all);
  launch.shared = static_cast<std::size_t>(read_part(text, all, 0, 1 << 20, after));
  if (after == 'K' || after == 'k')
    launch.shared *= 1024;
  else if (after != '\0')
    refuse(all);
  if (*text != '\0')
    refuse(all);
  return launch;
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
