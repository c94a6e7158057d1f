// The C interface of asynchronous copies.
#pragma once

#include <emu/groups/group_copies.hpp>
#include <emu/memory/device_functions.hpp>

/// \param bytes  4, 8 or 16; both addresses are multiples of it
/// \param zeros  how many of them, at the end, are not read but set to 0
EMU_INLINE void
__pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
    __trap();
  if (emu::begin_copy(to, from, bytes, zeros))
    return;
  emu::copy_share(cooperative_groups::this_thread(), to, from, bytes - zeros);
  for (size_t i = bytes - zeros; i < bytes; ++i)
    static_cast<char *>(to)[i] = 0;
}
EMU_INLINE void __pipeline_commit() { emu::commit_copies(); }
EMU_INLINE void __pipeline_wait_prior(size_t but) { emu::wait_for_copies(but); }
