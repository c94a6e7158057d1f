/// \file
/// What calls that copy and that set memory ask about it.
#pragma once

#include <string>

#include "context/devices.hpp"
#include "streams/streams.hpp"

namespace emu {

/// How a copy was asked for.
struct Call {
  const char *name;
  cudaStream_t stream;
  bool synchronous;
};

enum class MemorySide : unsigned char { pageable, pinned, managed, device };

/// What memory an address lies in.
struct Whereabouts {
  MemorySide side;
  int device; // that it belongs to
};
Whereabouts whereabouts(const void *memory);

/// Whether the `size` bytes (at least one) may be one side of a copy.
/// \param on_device  the direction says that this side is device memory
bool accessible(const void *memory, size_t size, bool on_device);

/// The same for a call of the host's; a side that was freed, or is too short, is a hazard, whether or not the program
/// looks at the error that it gets.
bool within_reach(const char *call, const void *memory, size_t size, bool on_device, bool writes);

/// Bytes from the first one of the first row to the last one of the last row; 0 if too many to be.
size_t span(size_t pitch, size_t width, size_t rows);

/// Tells the instruments, where there are any, of memory that was not written by a kernel.
void note_written(void *memory, size_t size);

/// Whether a call of the host's goes over the end of host memory that is known to have one (observation/host_memory.hpp),
/// which is a hazard.
bool runs_over_host_memory(const char *call, const void *memory, size_t size, bool writes);

} // namespace emu
