#pragma once

#include "base/paths.hpp"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

/// \file
/// Child processes. A command is a program (looked up on PATH) and its arguments; no shell takes
/// part, so spaces and quotes in a path mean nothing.

namespace tutor {

using Command = std::vector<std::string>;
void append(Command &command, const Command &words);

/// The end of a captured command.
struct Captured {
  int exit_code; ///< 127 when it could not be started, 128 + signal when a signal ended it
  std::string output; ///< its stdout and stderr, in the order written
};

/// Runs a command in `folder`, handing each line of its stdout and stderr to `on_line` as it comes.
/// Returns the exit code, as in Captured.
int run_by_line(const Command &command,
                const fs::path &folder,
                const std::function<void(std::string_view)> &on_line);

/// Runs a command quietly and returns what it wrote.
Captured capture(const Command &command, const fs::path &folder = ".");

/// The same, in a process group of its own, which is told to end when `stop` is asked for: Ctrl-C on
/// our terminal does not reach it.
Captured capture(const Command &command, const fs::path &folder, const std::stop_token &stop);

/// Runs a command that shares our terminal, in `folder`. Returns the exit code, as in Captured.
int run(const Command &command, const fs::path &folder = ".");
/// The same with one that reports when it is interrupted: we stay until it has, and hand a SIGTERM on. (Ctrl-C
/// reaches both.)
int run_to_its_end(const Command &command);

/// What a child begins with.
struct Beginning {
  fs::path folder = ".";
  int input = -1, output = -1, errors = -1; ///< descriptors; -1: ours
  bool own_group = false; ///< Ctrl-C and Ctrl-Z on our terminal do not reach it
  bool own_session = false; ///< nor does any other signal of the terminal
};
/// \return -1 when it cannot be started
pid_t start(const Command &command, const Beginning &beginning);

/// The words as exec takes them, which point into `command`.
std::vector<char *> arguments_of(const Command &command);

/// Becomes the command, which keeps our terminal and working folder: its exit code is ours.
/// \throws Failure when it cannot be started
[[noreturn]] void become(const Command &command);

/// A command as one would type it, with quotes where the shell needs them.
std::string shell_text(const Command &command);

} // namespace tutor
