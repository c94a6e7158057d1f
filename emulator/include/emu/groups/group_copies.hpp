/// \file
/// Copies that the threads of a group make together.
///
/// On a device they go on in the background; here each thread's share is done when the call
/// returns. The data of the others is there after wait(), as on a device.
#pragma once

#include "emu/engine/instrument.hpp"
#include "emu/groups/group_partitions.hpp"

namespace cuda {

/// A number of bytes that, like both addresses, is a multiple of `Alignment`.
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

} // namespace cuda

namespace emu {

/// Copies every `step`th element from number `first` on.
template <class T>
EMU_INLINE void copy_every(
    void *to, const void *from, size_t bytes, unsigned long long first, unsigned long long step) {
  for (size_t i = first; i < bytes / sizeof(T); i += step)
    static_cast<T *>(to)[i] = static_cast<const T *>(from)[i];
}

/// The calling thread's share of a copy, in the widest pieces that the addresses allow.
EMU_INLINE void copy_share(const auto &group, void *to, const void *from, size_t bytes) {
  const auto bits = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  const auto rank = group.thread_rank();
  const auto size = group.num_threads();
  if (bits % 16 == 0)
    copy_every<uint4>(to, from, bytes, rank, size);
  else if (bits % 8 == 0)
    copy_every<uint2>(to, from, bytes, rank, size);
  else if (bits % 4 == 0)
    copy_every<unsigned>(to, from, bytes, rank, size);
  else
    copy_every<unsigned char>(to, from, bytes, rank, size);
}

/// The same by cp.async, which copies words; bytes that are none, threads copy themselves.
EMU_INLINE void copy_share_async(const auto &group, void *to, const void *from, size_t bytes) {
  const auto bits = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  if (bits % 4 == 0)
    note_async_copy(true);
  copy_share(group, to, from, bytes);
  if (bits % 4 == 0)
    note_async_copy(false);
}

} // namespace emu

namespace cooperative_groups {

/// \param bytes  a number, or a cuda::aligned_size_t
template <class Group, class T, class Shape>
EMU_INLINE void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes) {
  emu::copy_share_async(group, to, from, static_cast<size_t>(bytes));
}
EMU_INLINE void memcpy_async(const auto &group, void *to, const void *from, const auto &bytes) {
  emu::copy_share_async(group, to, from, static_cast<size_t>(bytes));
}
/// Copies as many elements as both sides have.
template <class Group, class T, class ToLayout, class FromLayout>
EMU_INLINE void memcpy_async(const Group &group,
                             T *to,
                             const ToLayout &to_count,
                             const T *from,
                             const FromLayout &from_count) {
  const auto a = static_cast<size_t>(to_count), b = static_cast<size_t>(from_count);
  emu::copy_share_async(group, to, from, (a < b ? a : b) * sizeof(T));
}

/// Waits until the group's copies are done: a barrier of the group.
inline void wait(const auto &group, EMU_SITE) { group.sync(emu_file, emu_line); }
/// The same for all but the last `Stages` copies.
template <unsigned Stages> inline void wait_prior(const auto &group, EMU_SITE) {
  group.sync(emu_file, emu_line);
}

} // namespace cooperative_groups
