/// \file
/// Copies that the threads of a group make together, asynchronously where a device can: from global to shared memory.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/engine/async.hpp"
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
template <bool asynchronous, class T>
EMU_INLINE auto copy_every(
    void *to, const void *from, size_t bytes, unsigned long long first, unsigned long long step) {
  for (size_t i = first; i < bytes / sizeof(T); i += step) {
    T *const element = static_cast<T *>(to) + i;
    if (!asynchronous || !begin_copy(element, static_cast<const T *>(from) + i, sizeof(T)))
      *element = static_cast<const T *>(from)[i];
  }
}

/// The calling thread's share of a copy, in the widest pieces that the addresses allow.
template <bool asynchronous = false>
EMU_INLINE auto copy_share(const auto &group, void *to, const void *from, size_t bytes) {
  const auto bits = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  const auto rank = group.thread_rank();
  const auto size = group.num_threads();
  if (bits % 16 == 0)
    copy_every<asynchronous, uint4>(to, from, bytes, rank, size);
  else if (bits % 8 == 0)
    copy_every<asynchronous, uint2>(to, from, bytes, rank, size);
  else if (bits % 4 == 0)
    copy_every<asynchronous, unsigned>(to, from, bytes, rank, size);
  else // no device has such an operation
    copy_every<false, unsigned char>(to, from, bytes, rank, size);
}

/// Whether types promise a multiple of 4 bytes. Without that, cuda::memcpy_async lets threads copy by themselves.
template <class To, class From, class Shape> constexpr bool of_words() {
  if constexpr (requires { Shape::align; })
    if (Shape::align >= 4)
      return true;
  if constexpr (std::is_same_v<To, From> && !std::is_void_v<To>)
    return alignof(To) >= 4;
  return false;
}

} // namespace emu

namespace cooperative_groups {

/// \param bytes  a number, or a cuda::aligned_size_t
template <class Group, class T, class Shape>
EMU_INLINE void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes) {
  emu::copy_share<true>(group, to, from, static_cast<size_t>(bytes));
  emu::commit_copies();
}
EMU_INLINE void memcpy_async(const auto &group, void *to, const void *from, const auto &bytes) {
  emu::copy_share<true>(group, to, from, static_cast<size_t>(bytes));
  emu::commit_copies();
}
/// Copies as many elements as both sides have.
template <class Group, class T, class ToLayout, class FromLayout>
EMU_INLINE void memcpy_async(const Group &group,
                             T *to,
                             const ToLayout &to_count,
                             const T *from,
                             const FromLayout &from_count) {
  const auto a = static_cast<size_t>(to_count), b = static_cast<size_t>(from_count);
  emu::copy_share<true>(group, to, from, (a < b ? a : b) * sizeof(T));
  emu::commit_copies();
}

/// Waits until the group's copies but the last `Stages` are done: each thread for its own, and then a barrier of
/// the group.
template <unsigned Stages> inline void wait_prior(const auto &group, EMU_SITE) {
  emu::wait_for_copies(Stages);
  group.sync(emu_file, emu_line);
}
inline void wait(const auto &group, EMU_SITE) {
  emu::wait_for_copies(0);
  group.sync(emu_file, emu_line);
}

} // namespace cooperative_groups

#include "emu/language/letters_back.hpp"
