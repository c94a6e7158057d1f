/// \file
/// Memory of the host of which somebody has said where it ends.
#pragma once

#include <cstddef>

namespace emu {

/// As long as it lives, a copy of CUDA's that runs over the end of this memory is refused, and is a hazard.
class HostMemory {
public:
  HostMemory(const void *first, std::size_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;

  const char *const first;
  const std::size_t bytes;
};

} // namespace emu
