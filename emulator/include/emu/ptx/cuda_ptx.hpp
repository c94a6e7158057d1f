/// \file
/// libcu++'s names for instructions of PTX.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/engine/cluster.hpp"
#include "emu/ptx/ptx.hpp"

namespace cuda::ptx {

// What an instruction's modifiers are.
enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_space { global, cluster, shared };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_op { add, dec, inc, max, min, and_op, or_op, xor_op, cas, exch };
template <dot_sem value> using sem_t = ::std::integral_constant<dot_sem, value>;
template <dot_space value> using space_t = ::std::integral_constant<dot_space, value>;
template <dot_scope value> using scope_t = ::std::integral_constant<dot_scope, value>;
template <dot_op value> using op_t = ::std::integral_constant<dot_op, value>;
template <int value> using n32_t = ::std::integral_constant<int, value>;
#define EMU_PTX_DOT(KIND, NAME) \
  using KIND##_##NAME##_t = KIND##_t<dot_##KIND::NAME>; \
  static constexpr KIND##_##NAME##_t KIND##_##NAME{};
EMU_PTX_DOT(sem, acq_rel)
EMU_PTX_DOT(sem, acquire)
EMU_PTX_DOT(sem, relaxed)
EMU_PTX_DOT(sem, release)
EMU_PTX_DOT(sem, sc)
EMU_PTX_DOT(sem, weak)
EMU_PTX_DOT(space, global)
EMU_PTX_DOT(space, cluster)
EMU_PTX_DOT(space, shared)
EMU_PTX_DOT(scope, cta)
EMU_PTX_DOT(scope, cluster)
EMU_PTX_DOT(scope, gpu)
EMU_PTX_DOT(scope, sys)
EMU_PTX_DOT(op, add)
EMU_PTX_DOT(op, dec)
EMU_PTX_DOT(op, inc)
EMU_PTX_DOT(op, max)
EMU_PTX_DOT(op, min)
EMU_PTX_DOT(op, and_op)
EMU_PTX_DOT(op, or_op)
EMU_PTX_DOT(op, xor_op)
EMU_PTX_DOT(op, cas)
EMU_PTX_DOT(op, exch)
#undef EMU_PTX_DOT

// ------------------------------------------------------------------------------------- mbarrier

EMU_UNOBSERVED inline ::emu::PhaseBarrier &emu_phases(const ::std::uint64_t *address) {
  return *reinterpret_cast<::emu::PhaseBarrier *>(const_cast<::std::uint64_t *>(address));
}
EMU_UNOBSERVED constexpr unsigned emu_phase(::std::uint64_t state) {
  return ::emu::PhaseState{state}.phase();
}

EMU_INLINE void mbarrier_init(::std::uint64_t *at, ::std::uint32_t count, EMU_SITE) {
  emu_phases(at).init(count, EMU_HERE);
}

EMU_INLINE ::std::uint64_t mbarrier_arrive(::std::uint64_t *at, EMU_SITE) {
  return emu_phases(at).arrive(1, 0, EMU_HERE).bits;
}
EMU_INLINE ::std::uint64_t mbarrier_arrive(::std::uint64_t *at, ::std::uint32_t count, EMU_SITE) {
  return emu_phases(at).arrive(count, 0, EMU_HERE).bits;
}
template <dot_sem Sem, dot_scope Scope, dot_space Space>
EMU_INLINE ::std::uint64_t
mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_t<Space>, ::std::uint64_t *at, EMU_SITE) {
  return emu_phases(at).arrive(1, 0, EMU_HERE).bits;
}
template <dot_sem Sem, dot_scope Scope, dot_space Space>
EMU_INLINE ::std::uint64_t mbarrier_arrive(sem_t<Sem>,
                                           scope_t<Scope>,
                                           space_t<Space>,
                                           ::std::uint64_t *at,
                                           ::std::uint32_t count,
                                           EMU_SITE) {
  return emu_phases(at).arrive(count, 0, EMU_HERE).bits;
}
EMU_INLINE ::std::uint64_t
mbarrier_arrive_no_complete(::std::uint64_t *at, ::std::uint32_t count, EMU_SITE) {
  ::emu::PhaseBarrier &barrier = emu_phases(at);
  if (barrier.state().pending() <= count)
    ::emu::refuse_barrier(
        barrier, "must not end its phase by an arrival with .noComplete", EMU_HERE);
  return barrier.arrive(count, 0, EMU_HERE).bits;
}
template <dot_sem Sem, dot_scope Scope, dot_space Space>
EMU_INLINE void mbarrier_expect_tx(sem_t<Sem>,
                                   scope_t<Scope>,
                                   space_t<Space>,
                                   ::std::uint64_t *at,
                                   ::std::uint32_t bytes,
                                   EMU_SITE) {
  emu_phases(at).expect(bytes, EMU_HERE);
}
template <dot_sem Sem, dot_scope Scope, dot_space Space>
EMU_INLINE ::std::uint64_t mbarrier_arrive_expect_tx(sem_t<Sem>,
                                                     scope_t<Scope>,
                                                     space_t<Space>,
                                                     ::std::uint64_t *at,
                                                     ::std::uint32_t bytes,
                                                     EMU_SITE) {
  emu_phases(at).expect(bytes, EMU_HERE);
  return emu_phases(at).arrive(1, 0, EMU_HERE).bits;
}

// Both waits, by state and by parity, with a hint how long to wait and without: any time will do.
#define EMU_PTX_WAIT(NAME, WHICH, PHASE) \
  EMU_INLINE bool NAME(::std::uint64_t *at, WHICH which, EMU_SITE) { \
    return emu_phases(at).try_wait(PHASE, EMU_HERE); \
  } \
  template <dot_sem Sem, dot_scope Scope> \
  EMU_INLINE bool NAME(sem_t<Sem>, scope_t<Scope>, ::std::uint64_t *at, WHICH which, EMU_SITE) { \
    return emu_phases(at).try_wait(PHASE, EMU_HERE); \
  }
#define EMU_PTX_WAIT_WITH_HINT(NAME, WHICH, PHASE) \
  EMU_PTX_WAIT(NAME, WHICH, PHASE) \
  EMU_INLINE bool NAME(::std::uint64_t *at, WHICH which, ::std::uint32_t /*hint*/, EMU_SITE) { \
    return emu_phases(at).try_wait(PHASE, EMU_HERE); \
  } \
  template <dot_sem Sem, dot_scope Scope> \
  EMU_INLINE bool NAME(sem_t<Sem>, \
                       scope_t<Scope>, \
                       ::std::uint64_t *at, \
                       WHICH which, \
                       ::std::uint32_t /*hint*/, \
                       EMU_SITE) { \
    return emu_phases(at).try_wait(PHASE, EMU_HERE); \
  }
EMU_PTX_WAIT(mbarrier_test_wait, ::std::uint64_t, emu_phase(which))
EMU_PTX_WAIT(mbarrier_test_wait_parity, ::std::uint32_t, emu_phases(at).phase_of(which & 1))
EMU_PTX_WAIT_WITH_HINT(mbarrier_try_wait, ::std::uint64_t, emu_phase(which))
EMU_PTX_WAIT_WITH_HINT(mbarrier_try_wait_parity,
                       ::std::uint32_t,
                       emu_phases(at).phase_of(which & 1))
#undef EMU_PTX_WAIT
#undef EMU_PTX_WAIT_WITH_HINT

/// Arrives when the thread's copies before it have come; the first form counts for one arrival more.
EMU_INLINE void cp_async_mbarrier_arrive(::std::uint64_t *at) {
  ::emu::end_with_phase(&emu_phases(at));
}
EMU_INLINE void cp_async_mbarrier_arrive_noinc(::std::uint64_t *at, EMU_SITE) {
  ::emu::end_with_phase(&emu_phases(at));
  emu_phases(at).arrive(1, 0, EMU_HERE);
}

// -------------------------------------------------------------------------------------- clusters

EMU_INLINE void barrier_cluster_arrive(EMU_SITE) { ::emu::cluster_arrive(true, EMU_HERE); }
EMU_INLINE void barrier_cluster_arrive(sem_release_t, EMU_SITE) {
  ::emu::cluster_arrive(true, EMU_HERE);
}
EMU_INLINE void barrier_cluster_arrive(sem_relaxed_t, EMU_SITE) {
  ::emu::cluster_arrive(false, EMU_HERE);
}
EMU_INLINE void barrier_cluster_wait(EMU_SITE) { ::emu::cluster_wait(EMU_HERE); }
EMU_INLINE void barrier_cluster_wait(sem_acquire_t, EMU_SITE) { ::emu::cluster_wait(EMU_HERE); }
EMU_INLINE ::std::uint32_t getctarank(space_cluster_t, const void *address) {
  return static_cast<::std::uint32_t>(::emu::rank_of_shared(address));
}

#define EMU_PTX_REGISTER(NAME, VALUE) \
  EMU_INLINE ::std::uint32_t get_sreg_##NAME() { return static_cast<::std::uint32_t>(VALUE); }
#define EMU_PTX_REGISTERS(NAME, VALUE) \
  EMU_PTX_REGISTER(NAME##_x, (VALUE).x) \
  EMU_PTX_REGISTER(NAME##_y, (VALUE).y) \
  EMU_PTX_REGISTER(NAME##_z, (VALUE).z)
EMU_PTX_REGISTERS(tid, threadIdx)
EMU_PTX_REGISTERS(ntid, blockDim)
EMU_PTX_REGISTERS(ctaid, blockIdx)
EMU_PTX_REGISTERS(nctaid, gridDim)
EMU_PTX_REGISTERS(clusterid, ::emu::cluster_index())
EMU_PTX_REGISTERS(nclusterid, ::emu::clusters_of_grid())
EMU_PTX_REGISTERS(cluster_ctaid, ::emu::index_in_cluster())
EMU_PTX_REGISTERS(cluster_nctaid, ::emu::cluster_dim())
EMU_PTX_REGISTER(cluster_ctarank, ::emu::cluster_rank())
EMU_PTX_REGISTER(cluster_nctarank, ::emu::cluster_blocks())
EMU_PTX_REGISTER(laneid, ::emu::lane_id())
#undef EMU_PTX_REGISTERS
#undef EMU_PTX_REGISTER

/// A value, or two, or four, to a block of the cluster, where the barrier is, too.
template <class T>
EMU_INLINE void st_async(T *to, const T &value, ::std::uint64_t *barrier, EMU_SITE) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  ::emu::begin_async_store(to, &value, sizeof value, nullptr, emu_phases(barrier), EMU_HERE);
}
template <class T, ::std::size_t N>
EMU_INLINE void st_async(T *to, const T (&values)[N], ::std::uint64_t *barrier, EMU_SITE) {
  static_assert((sizeof(T) == 4 && (N == 2 || N == 4)) || (sizeof(T) == 8 && N == 2));
  ::emu::begin_async_store(to, values, sizeof values, nullptr, emu_phases(barrier), EMU_HERE);
}

// ----------------------------------------------------------------------------------- bulk copies

template <dot_space To>
EMU_INLINE void cp_async_bulk(space_t<To>,
                              space_global_t,
                              void *to,
                              const void *from,
                              ::std::uint32_t bytes,
                              ::std::uint64_t *barrier,
                              EMU_SITE) {
  ::emu::begin_bulk_load(to, from, bytes, emu_phases(barrier), ::emu::to_one_block, EMU_HERE);
}
/// To each block of the cluster whose bit is set.
EMU_INLINE void cp_async_bulk(space_cluster_t,
                              space_global_t,
                              void *to,
                              const void *from,
                              ::std::uint32_t bytes,
                              ::std::uint64_t *barrier,
                              ::std::uint16_t blocks,
                              EMU_SITE) {
  ::emu::begin_bulk_load(to, from, bytes, emu_phases(barrier), blocks, EMU_HERE);
}
/// From the block's own shared memory to that of a block of the cluster, where the barrier is, too.
EMU_INLINE void cp_async_bulk(space_cluster_t,
                              space_shared_t,
                              void *to,
                              const void *from,
                              ::std::uint32_t bytes,
                              ::std::uint64_t *barrier,
                              EMU_SITE) {
  ::emu::begin_bulk_load(to, from, bytes, emu_phases(barrier), ::emu::to_one_block, EMU_HERE);
}
EMU_INLINE void cp_async_bulk(
    space_global_t, space_shared_t, void *to, const void *from, ::std::uint32_t bytes, EMU_SITE) {
  ::emu::begin_bulk_store(to, from, bytes, nullptr, EMU_HERE);
}
EMU_INLINE void cp_async_bulk_commit_group() { ::emu::commit_bulk(); }
template <int But> EMU_INLINE void cp_async_bulk_wait_group(n32_t<But>) {
  ::emu::wait_for_bulk(But, false);
}
template <int But> EMU_INLINE void cp_async_bulk_wait_group_read(n32_t<But>) {
  ::emu::wait_for_bulk(But, true);
}

/// The operation as an opcode of PTX has it.
template <dot_op Op> consteval auto emu_opcode() {
  using ::emu::ptx::Name;
  if constexpr (Op == dot_op::add)
    return Name(".add");
  else if constexpr (Op == dot_op::dec)
    return Name(".dec");
  else if constexpr (Op == dot_op::inc)
    return Name(".inc");
  else if constexpr (Op == dot_op::max)
    return Name(".max");
  else if constexpr (Op == dot_op::min)
    return Name(".min");
  else if constexpr (Op == dot_op::and_op)
    return Name(".and");
  else if constexpr (Op == dot_op::or_op)
    return Name(".or");
  else
    return Name(".xor");
}
template <dot_op Op, class T>
EMU_INLINE void cp_reduce_async_bulk(space_global_t,
                                     space_shared_t,
                                     op_t<Op>,
                                     T *to,
                                     const T *from,
                                     ::std::uint32_t bytes,
                                     EMU_SITE) {
  ::emu::begin_bulk_store(to, from, bytes, ::emu::ptx::combine<emu_opcode<Op>(), T>, EMU_HERE);
}

template <dot_op Op, class T>
EMU_INLINE void red_async(
    op_t<Op>, T *to, const ::std::type_identity_t<T> &value, ::std::uint64_t *barrier, EMU_SITE) {
  ::emu::begin_async_store(to,
                           &value,
                           sizeof value,
                           ::emu::ptx::combine<emu_opcode<Op>(), T>,
                           emu_phases(barrier),
                           EMU_HERE);
}

template <dot_space To, int Rank>
EMU_INLINE void cp_async_bulk_tensor(space_t<To>,
                                     space_global_t,
                                     void *to,
                                     const void *map,
                                     const ::std::int32_t (&corner)[Rank],
                                     ::std::uint64_t *barrier,
                                     EMU_SITE) {
  ::emu::begin_tensor_load(
      to, map, corner, Rank, emu_phases(barrier), ::emu::to_one_block, EMU_HERE);
}
template <int Rank>
EMU_INLINE void cp_async_bulk_tensor(space_cluster_t,
                                     space_global_t,
                                     void *to,
                                     const void *map,
                                     const ::std::int32_t (&corner)[Rank],
                                     ::std::uint64_t *barrier,
                                     ::std::uint16_t blocks,
                                     EMU_SITE) {
  ::emu::begin_tensor_load(to, map, corner, Rank, emu_phases(barrier), blocks, EMU_HERE);
}
template <int Rank>
EMU_INLINE void cp_async_bulk_tensor(space_global_t,
                                     space_shared_t,
                                     const void *map,
                                     const ::std::int32_t (&corner)[Rank],
                                     const void *from,
                                     EMU_SITE) {
  ::emu::begin_tensor_store(map, corner, Rank, from, EMU_HERE);
}

// ---------------------------------------------------------------------------------------- fences

EMU_INLINE void fence_proxy_async() { ::emu::proxy_fence(); }
template <dot_space Space> EMU_INLINE void fence_proxy_async(space_t<Space>) {
  ::emu::proxy_fence();
}
EMU_INLINE void fence_proxy_alias() {}
EMU_INLINE void fence_mbarrier_init(sem_release_t, scope_cluster_t) { ::emu::proxy_fence(true); }
template <dot_sem Sem, dot_scope Scope> EMU_INLINE void fence(sem_t<Sem>, scope_t<Scope>) {
  ::emu::fence(Scope == dot_scope::cta || Scope == dot_scope::cluster ? ::emu::Scope::block
               : Scope == dot_scope::sys                              ? ::emu::Scope::system
                                                                      : ::emu::Scope::device);
}

// ------------------------------------------------------------------------------ what is not there

// Who calls one is told so by the compiler, with the line.
#define EMU_PTX_ABSENT(NAME, INSTEAD) \
  template <class... A> [[gnu::error("not in the emulator; try: " INSTEAD)]] void NAME(A &&...);
#define EMU_PTX_REPLACE(WHAT) \
  EMU_PTX_ABSENT(tensormap_##WHAT, "a map for each tensor, made by the host")
EMU_PTX_REPLACE(cp_fenceproxy)
EMU_PTX_REPLACE(replace_box_dim)
EMU_PTX_REPLACE(replace_element_stride)
EMU_PTX_REPLACE(replace_elemtype)
EMU_PTX_REPLACE(replace_fill_mode)
EMU_PTX_REPLACE(replace_global_address)
EMU_PTX_REPLACE(replace_global_dim)
EMU_PTX_REPLACE(replace_global_stride)
EMU_PTX_REPLACE(replace_interleave_layout)
EMU_PTX_REPLACE(replace_rank)
EMU_PTX_REPLACE(replace_swizzle_mode)
#undef EMU_PTX_REPLACE
EMU_PTX_ABSENT(cp_reduce_async_bulk_tensor, "cp_reduce_async_bulk of each row")
EMU_PTX_ABSENT(multimem_ld_reduce, "NCCL")
EMU_PTX_ABSENT(multimem_red, "NCCL")
EMU_PTX_ABSENT(multimem_st, "NCCL")
#undef EMU_PTX_ABSENT

} // namespace cuda::ptx

#include "emu/language/letters_back.hpp"
