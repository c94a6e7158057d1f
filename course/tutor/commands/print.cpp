#include "base/terminal.hpp"
#include "commands/learner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace tutor::commands {

void print_lines(const Lines &lines) {
  for (const Line &line : lines) {
    fmt::print("{}\n", to_terminal(line, 10'000, colours_shown()));
  }
}

std::size_t print_columns() {
  return std::max(terminal_columns(STDOUT_FILENO, 88), std::size_t{20});
}

} // namespace tutor::commands
