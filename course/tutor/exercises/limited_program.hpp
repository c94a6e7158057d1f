#pragma once

#include "base/paths.hpp"
#include "base/process.hpp"
#include "exercises/limits.hpp"

#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Running a program that is not trusted: within limits, in a process group of its own, with a
/// channel on the side.

namespace tutor {

/// A descriptor that the program gets under the number that a variable of its environment tells. It is
/// closed here when the program has started.
struct LentDescriptor {
  std::string variable;
  int number = -1;
};

/// What to run, and how.
struct LimitedProgram {
  Command command; ///< the program's full path first
  fs::path folder; ///< its working folder
  std::vector<std::string> environment; ///< "NAME=value"; nothing else of ours is passed on
  Limits limits;
  std::stop_token stop;
  /// The command is one that runs another, and ends with 128 + the signal that ended that one.
  bool runs_another = false;

  /// The only one that it runs on; -1: any. With a channel it starts anywhere, and goes there with its first packet.
  int processor = -1;

  std::vector<LentDescriptor> lent;

  /// The first packet sent over the channel; empty: there is no channel. The program finds the
  /// channel's number in the variable BF_CHANNEL.
  std::string greeting;
  /// Called for each packet that comes back. True: it has said all that it will; it is ended.
  std::function<bool(std::string_view)> on_packet;
};

/// Those of these variables that our environment has, as a program is given them.
std::vector<std::string> inherited(std::initializer_list<const char *> names);

/// How it ended.
struct ProgramEnd {
  int exit_code = 0; ///< if no signal ended it
  int signal = 0; ///< that ended it, or 0
  bool finished = false; ///< on_packet said so
  bool time_limit = false; ///< wall time or CPU time
  bool output_limit = false;
  bool stopped = false; ///< because `stop` was asked to
  std::size_t peak_bytes = 0; ///< of memory in use
  double seconds = 0;
  std::string output; ///< stdout and stderr, as far as the limit goes
};

/// Runs the program and waits for its end. Its whole process group is gone when this returns.
/// \throws Failure (failed) when it cannot be started
ProgramEnd run_limited(const LimitedProgram &program);

} // namespace tutor
