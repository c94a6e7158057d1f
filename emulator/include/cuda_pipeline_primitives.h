// The C interface of asynchronous copies. Here they are done when their call returns.
#pragma once

#include "emu/engine/instrument.hpp"
#include "emu/groups/group_copies.hpp"
#include "emu/memory/device_functions.hpp"

/// \param bytes  4, 8 or 16
/// \param zeros  how many of them, at the end, are not read but set to 0
EMU_INLINE void
__pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  emu::note_async_copy(true);
  emu::copy_share(cooperative_groups::this_thread(), to, from, bytes - zeros);
  if (zeros == 16)
    *static_cast<uint4 *>(to) = uint4{};
  else if (zeros % 4 == 0) // whole words, as a device writes them; `to` is a multiple of 4 at least
    for (size_t i = (bytes - zeros) / 4; i < bytes / 4; ++i)
      static_cast<unsigned *>(to)[i] = 0;
  else
    for (size_t i = bytes - zeros; i < bytes; ++i)
      static_cast<char *>(to)[i] = 0;
  emu::note_async_copy(false);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}
