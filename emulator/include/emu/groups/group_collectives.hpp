/// \file
/// Reductions and scans over the members of a tile or a coalesced group.
///
/// Every member computes the result by itself, in the same order: all get the same bits.
#pragma once

#include <atomic>

#include "emu/groups/group_partitions.hpp"

namespace emu {

template <class Group>
concept InOneWarp = requires(const Group &group) {
  group.mask();
};

/// values[0] + values[1] + … as a tree, like the shuffles of a device.
template <class T, class Combine>
EMU_UNOBSERVED inline T combine_tree(Words<T> (&values)[32], unsigned count, Combine &&combine) {
  unsigned half = 1;
  while (half * 2 < count)
    half *= 2;
  for (; half > 0; half /= 2)
    for (unsigned i = 0; i < half && i + half < count; ++i)
      values[i] = Words<T>(combine(values[i].value(), values[i + half].value()));
  return values[0].value();
}

/// The combination of all members' values.
template <class Group, class T, class Combine>
inline T reduce_group(const Group &group, const T &value, Combine &&combine, Site site) {
  if constexpr (InOneWarp<Group>) {
    Words<T> values[32] = {};
    const unsigned met = gather(group.mask(), value, values, site);
    return combine_tree(values, static_cast<unsigned>(__builtin_popcount(met)), combine);
  } else {
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::thread_block());
    const T of_warp = reduce_group(warp, value, combine, site);
    return group.collect(
        of_warp,
        [&](const auto &value_of) {
          Words<T> values[32] = {};
          constexpr unsigned warps = Group::num_threads() / 32;
          for (unsigned i = 0; i < warps; ++i)
            values[i] = Words<T>(value_of(i * 32));
          return combine_tree(values, warps, combine);
        },
        site);
  }
}

/// The combination of the values of the ranks up to the caller's own.
template <class Group, class T, class Combine>
inline T scan_group(const Group &group, const T &value, Combine &&combine, Site site) {
  if constexpr (InOneWarp<Group>) {
    Words<T> values[32] = {};
    gather(group.mask(), value, values, site);
    Words<T> sum = values[0];
    for (unsigned rank = 1; rank <= group.thread_rank(); ++rank)
      sum = Words<T>(combine(sum.value(), values[rank].value()));
    return sum.value();
  } else {
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::thread_block());
    const T in_warp = scan_group(warp, value, combine, site);
    return group.collect(
        in_warp,
        [&](const auto &value_of) {
          const unsigned my_warp = group.thread_rank() / 32;
          if (my_warp == 0)
            return in_warp;
          Words<T> before(value_of(31));
          for (unsigned i = 1; i < my_warp; ++i)
            before = Words<T>(combine(before.value(), value_of(i * 32 + 31)));
          return T(combine(before.value(), in_warp));
        },
        site);
  }
}

/// The value of the member one rank lower; its own for the lowest.
template <class Group, class T>
inline T of_rank_below(const Group &group, const T &value, Site site) {
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  if constexpr (InOneWarp<Group>)
    return group.shfl_up(value, 1, site.file, site.line);
  else
    return group.collect(
        value, [rank](const auto &value_of) { return value_of(rank > 0 ? rank - 1 : 0); }, site);
}

/// variable = combine(variable, value) in one step; returns the value before.
template <class Atomic, class T, class Combine>
inline T update_variable(Atomic &variable, const T &value, Combine &&combine) {
  constexpr auto relaxed = std::memory_order_relaxed;
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
template <class Group, class T, class Operation>
inline auto reduce(const Group &group, T &&value, Operation &&operation, EMU_SITE) {
  return emu::reduce_group<Group, std::remove_cvref_t<T>>(group, value, operation, EMU_HERE);
}

/// operation(…) over the values of the ranks up to the caller's own.
template <class Group, class T, class Operation>
inline auto inclusive_scan(const Group &group, T &&value, Operation &&operation, EMU_SITE) {
  return emu::scan_group<Group, std::remove_cvref_t<T>>(group, value, operation, EMU_HERE);
}
template <class Group, class T>
inline auto inclusive_scan(const Group &group, T &&value, EMU_SITE) {
  return inclusive_scan(group, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}

/// operation(…) over the values of the ranks below the caller's own; rank 0 gets T(), as on a
/// device, whatever the operation.
template <class Group, class T, class Operation>
inline auto exclusive_scan(const Group &group, T &&value, Operation &&operation, EMU_SITE) {
  using Value = std::remove_cvref_t<T>;
  const Value mine = emu::scan_group<Group, Value>(group, value, operation, EMU_HERE);
  const Value lower = emu::of_rank_below(group, mine, EMU_HERE);
  return group.thread_rank() == 0 ? Value{} : lower;
}
template <class Group, class T>
inline auto exclusive_scan(const Group &group, T &&value, EMU_SITE) {
  return exclusive_scan(group, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}

/// \name With a variable that several groups share: a cuda::atomic or a cuda::atomic_ref
/// @{
template <class Group, class Atomic, class T, class Operation>
inline void reduce_update_async(
    const Group &group, Atomic &&variable, T &&value, Operation &&operation, EMU_SITE) {
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
    destination.store(all, std::memory_order_relaxed);
}
/// The variable grows by all members' values; each member gets what it would have read after its
/// own step, had the members come in the order of their ranks.
template <class Group, class Atomic, class T, class Operation>
inline auto inclusive_scan_update(
    const Group &group, Atomic &&variable, T &&value, Operation &&operation, EMU_SITE) {
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
  return group.thread_rank() == 0 ? old : operation(old, lower);
}
template <class Group, class Atomic, class T>
inline auto exclusive_scan_update(const Group &group, Atomic &&variable, T &&value, EMU_SITE) {
  return exclusive_scan_update(
      group, variable, value, plus<std::remove_cvref_t<T>>(), emu_file, emu_line);
}
/// @}

} // namespace cooperative_groups
