/// \file
/// Bulk copies of PTX. Included by ptx.hpp.
#pragma once

#include "emu/engine/bulk.hpp"
#include "emu/engine/tensors.hpp"
#include "emu/ptx/ptx_arithmetic.hpp"

namespace emu::ptx {

// cp.reduce.async.bulk has a word more in front.
template <Name op> consteval bool is_reduction() { return part(op.view(), 1) == "reduce"; }
template <Name op> consteval bool is_bulk(std::string_view to, std::string_view from) {
  return is<op>("cp") && has(op.view(), "bulk") && !has(op.view(), "tensor") &&
         part(op.view(), is_reduction<op>() ? 4 : 3) == to &&
         part(op.view(), is_reduction<op>() ? 5 : 4) == from;
}

/// What an atomic of this name makes of an element and another.
template <Name op, class T> EMU_UNOBSERVED T combined(T old, T x) {
  constexpr std::string_view o = op.view();
  if constexpr (has(o, "add"))
    return old + x;
  else if constexpr (has(o, "min"))
    return lesser(old, x);
  else if constexpr (has(o, "max"))
    return greater(old, x);
  else if constexpr (has(o, "inc"))
    return old >= x ? T{} : old + 1;
  else if constexpr (has(o, "dec"))
    return old == T{} || old > x ? x : old - 1;
  else if constexpr (has(o, "and"))
    return old & x;
  else if constexpr (has(o, "or"))
    return old | x;
  else
    return old ^ x;
}
template <Name op, class T> EMU_UNOBSERVED void combine(char *to, const char *from, size_t bytes) {
  using Bits = Unsigned<T>;
  for (size_t i = 0; i < bytes; i += sizeof(T)) {
    T x;
    __builtin_memcpy(static_cast<void *>(&x), from + i, sizeof x);
    auto *const element = reinterpret_cast<Bits *>(to + i);
    Bits old = __atomic_load_n(element, __ATOMIC_RELAXED), next;
    do {
      next = __builtin_bit_cast(Bits, combined<op>(__builtin_bit_cast(T, old), x));
    } while (!__atomic_compare_exchange_n(
        element, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  }
}

/// Behind the operands that a copy has in any case: a mask of blocks, a policy for caches.
template <Name op> consteval size_t operands_more() {
  return has(op.view(), "multicast::cluster") + has(op.view(), "L2::cache_hint");
}
template <Name op, class... More> EMU_UNOBSERVED EMU_INLINE int receivers(const More &...more) {
  if constexpr (has(op.view(), "multicast::cluster"))
    return get<uint16_t>(std::get<0>(std::tie(more...)));
  return to_one_block;
}

template <Name op> consteval bool loads_to_block() {
  return is_bulk<op>("shared::cluster", "global") || is_bulk<op>("shared::cta", "global") ||
         is_bulk<op>("shared::cluster", "shared::cta");
}
template <Name op, class N, class... More>
requires(loads_to_block<op>() && sizeof...(More) == operands_more<op>()) EMU_INLINE void bulk(
    Site site, Address to, Address from, const N &bytes, Address barrier, const More &...more) {
  constexpr bool from_block = is_bulk<op>("shared::cluster", "shared::cta");
  begin_bulk_load(from_shared(to.value),
                  from_block ? from_shared(from.value) : reinterpret_cast<const void *>(from.value),
                  get<unsigned>(bytes),
                  *reinterpret_cast<PhaseBarrier *>(from_shared(barrier.value)),
                  receivers<op>(more...),
                  site);
}
template <Name op, class N, class... Policy>
requires(is_bulk<op>("global", "shared::cta") &&
         sizeof...(Policy) == operands_more<op>()) EMU_INLINE
    void bulk(Site site, Address to, Address from, const N &bytes, const Policy &...) {
  Combine how = nullptr;
  if constexpr (is_reduction<op>())
    how = combine<op, Type<op>>;
  begin_bulk_store(
      reinterpret_cast<void *>(to.value), from_shared(from.value), get<unsigned>(bytes), how, site);
}

/// Of one value or several to shared memory of the cluster, where the barrier is, too.
template <Name op, class X>
requires(is<op>("st", "red") && part(op.view(), 1) == "async" &&
         has(op.view(), "mbarrier::complete_tx::bytes")) EMU_INLINE
    void bulk(Site site, Address to, const X &value, Address barrier) {
  using T = Type<op>;
  T values[lanes_of_vector<op>()];
  get_all(values, value);
  Combine how = nullptr;
  if constexpr (is<op>("red"))
    how = combine<op, T>;
  begin_async_store(from_shared(to.value),
                    values,
                    sizeof values,
                    how,
                    *reinterpret_cast<PhaseBarrier *>(from_shared(barrier.value)),
                    site);
}

template <Name op>
requires(is<op>("cp") && has(op.view(), "bulk") && has(op.view(), "commit_group")) EMU_INLINE
    void bulk(Site) {
  commit_bulk();
}
template <Name op, class N>
requires(is<op>("cp") && has(op.view(), "bulk") && has(op.view(), "wait_group")) EMU_INLINE
    void bulk(Site, const N &but) {
  constexpr bool read = has(op.view(), "read");
  wait_for_bulk(get<size_t>(but), read);
}
/// Advice for caches.
template <Name op, class... A>
requires(is<op>("cp") && has(op.view(), "bulk") && has(op.view(), "prefetch")) EMU_INLINE
    void bulk(Site, const A &...) {}

// ------------------------------------------------------------------------- boxes of tensors

/// A map of a tensor and the corner of a box of it.
template <size_t Rank> struct TensorBox {
  uint64_t map;
  int32_t corner[Rank];
};
template <class... X>
EMU_UNOBSERVED inline TensorBox<sizeof...(X)> box_at(Address map, const std::tuple<X...> &corner) {
  return std::apply(
      [&](const auto &...index) {
        return TensorBox<sizeof...(X)>{map.value, {get<int32_t>(index)...}};
      },
      corner);
}

template <Name op> consteval bool is_tensor_copy(std::string_view to, std::string_view from) {
  return is<op>("cp") && part(op.view(), 2) == "bulk" && part(op.view(), 3) == "tensor" &&
         part(op.view(), 5) == to && part(op.view(), 6) == from;
}
template <Name op, size_t Rank, class... More>
requires((is_tensor_copy<op>("shared::cluster", "global") ||
          is_tensor_copy<op>("shared::cta", "global")) &&
         sizeof...(More) == operands_more<op>()) EMU_INLINE void bulk(Site site,
                                                                      Address to,
                                                                      const TensorBox<Rank> &box,
                                                                      Address barrier,
                                                                      const More &...more) {
  begin_tensor_load(from_shared(to.value),
                    reinterpret_cast<const void *>(box.map),
                    box.corner,
                    Rank,
                    *reinterpret_cast<PhaseBarrier *>(from_shared(barrier.value)),
                    receivers<op>(more...),
                    site);
}
template <Name op, size_t Rank, class... Policy>
requires(is_tensor_copy<op>("global", "shared::cta") &&
         sizeof...(Policy) == operands_more<op>()) EMU_INLINE
    void bulk(Site site, const TensorBox<Rank> &box, Address from, const Policy &...) {
  begin_tensor_store(
      reinterpret_cast<const void *>(box.map), box.corner, Rank, from_shared(from.value), site);
}

} // namespace emu::ptx
