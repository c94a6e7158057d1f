/// \file
/// Instructions of PTX on clusters of blocks. Included by ptx.hpp.
#pragma once

#include "emu/ptx/ptx_arithmetic.hpp"
#include "emu/warp/clusters.hpp"

namespace emu::ptx {

/// Whether an opcode's addresses are those of 32 bits: a window of shared memory for each block of the cluster.
template <Name op> constexpr bool in_window = has(op.view(), "shared::cluster");
template <Name op, class A> EMU_UNOBSERVED inline const void *in_cluster(const A &a) {
  const auto address = get<uint64_t>(a);
  return in_window<op> ? from_shared(address) : reinterpret_cast<const void *>(address);
}

template <Name op, class D, class A, class R>
requires(is<op>("mapa")) inline void clusters(Site site, D &&d, const A &a, const R &rank) {
  const auto to = get<unsigned>(rank);
  const void *const there = in_shared_of(in_cluster<op>(a), to, site);
  set(d, in_window<op> ? in_window_of(there, to) : reinterpret_cast<uintptr_t>(there));
}
template <Name op, class D, class A>
requires(is<op>("getctarank")) inline void clusters(Site, D &&d, const A &a) {
  set(d, rank_of_shared(in_cluster<op>(a)));
}
template <Name op, class D, class A>
requires(is<op>("isspacep") && (has(op.view(), "shared::cluster") || has(op.view(), "shared") ||
                                has(op.view(), "shared::cta"))) //
    inline void clusters(Site, D &&d, const A &a) {
  const auto *const address = reinterpret_cast<const void *>(get<uint64_t>(a));
  set(d, in_window<op> ? rank_of_shared(address) >= 0 : is_shared_here(address));
}

template <Name op>
requires(is<op>("barrier") && has(op.view(), "cluster")) inline void clusters(Site site) {
  if constexpr (has(op.view(), "arrive"))
    cluster_arrive(std::bool_constant<!has(op.view(), "relaxed")>::value, site);
  else
    cluster_wait(site);
}

} // namespace emu::ptx
