#pragma once

#include <cstdint>

/// \file
/// What a program under check may use up.

namespace tutor {

/// Each of them ends the program when it is exceeded.
struct Limits {
  double wall_seconds = 10;
  double cpu_seconds = 20; ///< of all threads together
  std::uint64_t memory_bytes = 4ull << 30; ///< of addresses, most of which are never touched
  std::uint64_t file_bytes = 1ull << 20; ///< of any one file
  std::uint64_t output_bytes = 1ull << 20; ///< on stdout and stderr together
  int processes = 256; ///< threads too; of this user, which is why it is not small
};

} // namespace tutor
