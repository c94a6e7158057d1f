#include "demos/own_figures.hpp"

#include "calculator.hpp"
#include "demos/issue_slots.hpp"
#include "ladder/chapter.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

[[noreturn]] void refuse(const std::string &takes, const char *text) {
  throw lab::UsageError(takes + ", not \"" + text + "\"");
}

void print_launch(const char *text) {
  const char takes[] = "--launch takes THREADS,REGISTERS,SHARED such as 256,64,48K "
                       "(threads from 1 to 1024, registers from 1 to 255, shared "
                       "memory in bytes or, with a K, in KB)";
  char numbers[3][10]; // of digits alone: %d takes signs and blanks, too
  int length = 0;
  std::sscanf(text, "%9[0-9],%9[0-9],%9[0-9]%n", numbers[0], numbers[1], numbers[2], &length);
  const std::string unit = text + length;
  if (length == 0 || (unit != "" && unit != "K" && unit != "k"))
    refuse(takes, text);
  const int threads = std::atoi(numbers[0]), registers = std::atoi(numbers[1]),
            shared = std::atoi(numbers[2]);
  if (threads < 1 || threads > occupancy::threads_per_block || registers < 1 ||
      registers > occupancy::registers_per_thread || shared > 1 << 20)
    refuse(takes, text);
  const std::size_t bytes = static_cast<std::size_t>(shared) * (unit.empty() ? 1 : 1024);
  std::printf("Blocks that a multiprocessor holds, by each limit alone:\n\n%s",
              occupancy::table_text({threads, registers, bytes, 1}).c_str());
}

void print_slots(const char *text) {
  const char takes[] = "--slots takes WARPS,CHAINS or WARPS,CHAINS,CYCLES such as 6,1 or 64,1,695 "
                       "(warps from 1 to 64, chains from 1 to 32, cycles from 1 to 9999)";
  char numbers[3][5] = {"", "", "4"};
  int two = 0, three = 0;
  std::sscanf(
      text, "%4[0-9],%4[0-9]%n,%4[0-9]%n", numbers[0], numbers[1], &two, numbers[2], &three);
  const occupancy::Waiting waiting = {
      std::atoi(numbers[0]), std::atoi(numbers[1]), std::atoi(numbers[2])};
  const bool all = static_cast<std::size_t>(three > 0 ? three : two) == std::strlen(text);
  if (!all || waiting.warps < 1 || waiting.warps > 64 || waiting.chains < 1 ||
      waiting.chains > 32 || waiting.cycles < 1)
    refuse(takes, text);
  std::printf("%s", occupancy::slots_text(waiting).c_str());
}

struct Option {
  const char *name;
  void (*print)(const char *text);
};
constexpr Option options[] = {{"--launch", print_launch}, {"--slots", print_slots}};

/// The one that is there, and its place; null if none is.
const Option *asked(int argc, char **argv, int &at) {
  for (at = 1; at < argc; ++at)
    for (const Option &option : options)
      if (std::strcmp(argv[at], option.name) == 0)
        return &option;
  return nullptr;
}

int print(int argc, char **argv) {
  int at = 0;
  const Option *const option = asked(argc, argv, at);
  option->print(at + 2 == argc ? argv[at + 1] : ""); // which is refused
  return 0;
}

} // namespace

bool asks_about_own_figures(int argc, char **argv) {
  int at = 0;
  return asked(argc, argv, at) != nullptr;
}

int answer_own_figures(int argc, char **argv) { return lab::guarded_main(print, argc, argv); }
