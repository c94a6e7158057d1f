/// \file
/// Reductions and scans over the members of a tile or a coalesced group, as kernels call them.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/groups/group_combining.hpp"

namespace emu {

/// variable = combine(variable, value) in one step; returns the value before.
template <class Atomic, class T, class Combine>
inline T update_variable(Atomic &variable, const T &value, Combine &&combine) {
  constexpr auto relaxed = std::remove_cvref_t<Atomic>::emu_relaxed;
  T old = variable.load(relaxed);
  while (!variable.compare_exchange_weak(old, combine(old, value), relaxed, relaxed)) {
  }
  return old;
}
/// The member with the highest rank updates the variable; all get the value before.
template <class Group, class Atomic, class T, class Combine>
inline T update_by_last(const Group &group,
                        Atomic &variable,
                        const T &value,
                        Combine &&combine,
                        const char *file,
                        int line) {
  const unsigned last = static_cast<unsigned>(group.num_threads()) - 1;
  T old = value;
  if (group.thread_rank() == last)
    old = update_variable(variable, value, combine);
  return group.shfl(old, static_cast<int>(last), file, line);
}

} // namespace emu

namespace cooperative_groups {

#define EMU_GROUP_OPERATION(NAME, EXPRESSION) \
  template <class T> struct NAME { \
    T operator()(T a, T b) const { return EXPRESSION; } \
  };
EMU_GROUP_OPERATION(plus, a + b)
EMU_GROUP_OPERATION(less, b < a ? b : a)
EMU_GROUP_OPERATION(greater, a < b ? b : a)
EMU_GROUP_OPERATION(bit_and, a &b)
EMU_GROUP_OPERATION(bit_xor, a ^ b)
EMU_GROUP_OPERATION(bit_or, a | b)
#undef EMU_GROUP_OPERATION

/// All members get operation(…) over the values of all.
template <class Group, class T>
inline auto reduce(const Group &group, T &&value, auto &&operation, EMU_SITE) {
  return emu::reduce_group<Group, std::remove_cvref_t<T>>(group, value, operation, EMU_HERE);
}

/// operation(…) over the values of the ranks up to the caller's own.
template <class Group, class T>
inline auto inclusive_scan(const Group &group, T &&value, auto &&operation, EMU_SITE) {
  return emu::scan_group<Group, std::remove_cvref_t<T>>(group, value, operation, EMU_HERE);
}
template <class Group, class T>
inline auto inclusive_scan(const Group &group, T &&value, EMU_SITE) {
  return inclusive_scan(group, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}

/// operation(…) over the values of the ranks below the caller's own; rank 0 gets T().
template <class Group, class T>
inline auto exclusive_scan(const Group &group, T &&value, auto &&operation, EMU_SITE) {
  return emu::exclusive_scan_group<Group, std::remove_cvref_t<T>>(
      group, value, operation, EMU_HERE);
}
template <class Group, class T>
inline auto exclusive_scan(const Group &group, T &&value, EMU_SITE) {
  return exclusive_scan(group, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}

/// \name With a variable that several groups share: a cuda::atomic or a cuda::atomic_ref
/// @{
inline void
reduce_update_async(const auto &group, auto &&variable, auto &&value, auto &&operation, EMU_SITE) {
  const auto all = reduce(group, value, operation, emu_file, emu_line);
  if (group.thread_rank() == 0)
    emu::update_variable(variable, all, operation);
}
template <class Group, class Destination, class T, class Operation>
inline void reduce_store_async(
    const Group &group, Destination &&destination, T &&value, Operation &&operation, EMU_SITE) {
  const auto all = reduce(group, value, operation, emu_file, emu_line);
  if (group.thread_rank() != 0)
    return;
  if constexpr (std::is_pointer_v<std::remove_cvref_t<Destination>>)
    *destination = all;
  else
    destination.store(all, std::remove_cvref_t<Destination>::emu_relaxed);
}
/// The variable grows by all members' values; each member gets what it would have read after its
/// own step, had the members come in the order of their ranks.
inline auto inclusive_scan_update(
    const auto &group, auto &&variable, auto &&value, auto &&operation, EMU_SITE) {
  const auto mine = inclusive_scan(group, value, operation, emu_file, emu_line);
  return operation(emu::update_by_last(group, variable, mine, operation, emu_file, emu_line), mine);
}
template <class Group, class Atomic, class T>
inline auto inclusive_scan_update(const Group &group, Atomic &&variable, T &&value, EMU_SITE) {
  return inclusive_scan_update(
      group, variable, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}
/// The same before its own step.
template <class Group, class Atomic, class T, class Operation>
inline auto exclusive_scan_update(
    const Group &group, Atomic &&variable, T &&value, Operation &&operation, EMU_SITE) {
  const auto mine = inclusive_scan(group, value, operation, emu_file, emu_line);
  const auto lower = emu::of_rank_below(group, mine, EMU_HERE);
  const auto old = emu::update_by_last(group, variable, mine, operation, emu_file, emu_line);
  return operation(old, group.thread_rank() == 0 ? std::remove_cvref_t<T>{} : lower);
}
template <class Group, class Atomic, class T>
inline auto exclusive_scan_update(const Group &group, Atomic &&variable, T &&value, EMU_SITE) {
  return exclusive_scan_update(
      group, variable, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}
/// @}

} // namespace cooperative_groups

#include "emu/language/letters_back.hpp"
