#pragma once

#include <cstdint>

/// \file
/// What a program under check may use up.

namespace tutor {

/// Each of them ends the program when it is exceeded.
struct Limits {
  /// Four times that for who had a processor for less than half of it: a machine with much else to do must
  /// not decide about a grade.
  double wall_seconds = 10;
  double cpu_seconds = 20; ///< of all threads together
  std::uint64_t memory_bytes = 2ull << 30; ///< of addresses, most of which are never touched
  std::uint64_t file_bytes = 1ull << 20; ///< of any one file
  std::uint64_t output_bytes = 1ull << 20; ///< on stdout and stderr together
  /// Threads and processes of this user, other programs' included, which is why it is not small. It
  /// is the last resort: a checker's program cannot make processes at all, where the kernel has
  /// seccomp.
  int processes = 4096;
};

} // namespace tutor
