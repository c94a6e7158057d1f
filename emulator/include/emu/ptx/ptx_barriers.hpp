/// \file
/// Barriers of PTX: of phases (mbarrier), of a part of a block (bar, barrier). Included by ptx.hpp.
#pragma once

#include "emu/engine/phases.hpp"
#include "emu/ptx/ptx_arithmetic.hpp"

namespace emu::ptx {

// --------------------------------------------------------------------------------------- mbarrier

template <Name op> consteval bool is_mbarrier(std::string_view does) {
  return is<op>("mbarrier") && part(op.view(), 1) == does;
}
template <Name op> EMU_UNOBSERVED EMU_INLINE PhaseBarrier &phases_at(Address at) {
  return *pointer<op, PhaseBarrier>(at);
}

template <Name op, class N>
requires(is_mbarrier<op>("init")) EMU_INLINE void barriers(Site site, Address at, const N &count) {
  phases_at<op>(at).init(get<unsigned>(count), site);
}
template <Name op>
requires(is_mbarrier<op>("inval")) EMU_INLINE void barriers(Site site, Address at) {
  phases_at<op>(at).invalidate(site);
}
template <Name op, class N>
requires(is_mbarrier<op>("expect_tx") || is_mbarrier<op>("complete_tx")) EMU_INLINE
    void barriers(Site site, Address at, const N &bytes) {
  const int64_t more = get<unsigned>(bytes);
  phases_at<op>(at).expect(is_mbarrier<op>("expect_tx") ? more : -more, site);
}

// One operand more is a number of arrivals, or with .expect_tx of bytes.
template <Name op, class D, class... N>
requires((is_mbarrier<op>("arrive") || is_mbarrier<op>("arrive_drop")) &&
         sizeof...(N) <= 1) EMU_INLINE
    void barriers(Site site, D &&state, Address at, const N &...number) {
  PhaseBarrier &barrier = phases_at<op>(at);
  const unsigned given = (0u + ... + get<unsigned>(number));
  constexpr bool bytes = has(op.view(), "expect_tx");
  const unsigned count = sizeof...(N) == 0 || bytes ? 1 : given;
  if constexpr (bytes)
    barrier.expect(given, site);
  if constexpr (has(op.view(), "noComplete"))
    if (barrier.state().pending() <= count)
      refuse_barrier(barrier, "must not end its phase by an arrival with .noComplete", site);
  const PhaseState before = barrier.arrive(count, is_mbarrier<op>("arrive_drop") ? count : 0, site);
  set(state, static_cast<uint64_t>(before.bits));
}

/// Arrives when the thread's copies before it have come; without .noinc it counts for one arrival more in this phase.
template <Name op>
requires(is<op>("cp") && part(op.view(), 2) == "mbarrier") EMU_INLINE
    void barriers(Site site, Address at) {
  PhaseBarrier &barrier = phases_at<op>(at);
  end_with_phase(&barrier);
  if constexpr (has(op.view(), "noinc"))
    barrier.arrive(1, 0, site);
}

/// Waits that may be in vain.
template <Name op, class D, class X, class... Hint>
requires((is_mbarrier<op>("test_wait") && sizeof...(Hint) == 0) ||
         (is_mbarrier<op>("try_wait") && sizeof...(Hint) <= 1)) EMU_INLINE
    void barriers(Site site, D &&done, Address at, const X &which, const Hint &...) {
  PhaseBarrier &barrier = phases_at<op>(at);
  constexpr bool parity = has(op.view(), "parity");
  const unsigned phase = parity ? barrier.phase_of(get<unsigned>(which) & 1)
                                : PhaseState{get<uint64_t>(which)}.phase();
  set(done, barrier.try_wait(phase, site));
}
template <Name op, class D, class X>
requires(is_mbarrier<op>("pending_count")) EMU_UNOBSERVED EMU_INLINE
    void barriers(Site, D &&count, const X &state) {
  set(count, PhaseState{get<uint64_t>(state)}.pending());
}

// ----------------------------------------------------------------------- of a part of the block

template <Name op> consteval bool is_block_barrier(std::string_view does) {
  return is<op>("bar", "barrier") && !has(op.view(), "cluster") && has(op.view(), does);
}
/// Whether it is __syncthreads(). A number of threads beyond those of the block is one of warps.
EMU_UNOBSERVED inline bool is_of_whole_block(unsigned number, unsigned threads) {
  return number == 0 && (threads == 0 || threads >= blockDim.x * blockDim.y * blockDim.z);
}

template <Name op, class A, class... B>
requires(is_block_barrier<op>("sync") && sizeof...(B) <= 1) EMU_INLINE
    void barriers(Site site, const A &barrier, const B &...count) {
  const unsigned number = get<unsigned>(barrier), threads = (0u + ... + get<unsigned>(count));
  if (is_of_whole_block(number, threads))
    emu::barrier(site);
  else
    named_barrier(number, threads, NamedUse::sync, false, site);
}
template <Name op, class A, class B>
requires(is_block_barrier<op>("arrive")) EMU_INLINE
    void barriers(Site site, const A &number, const B &threads) {
  named_barrier(get<unsigned>(number), get<unsigned>(threads), NamedUse::arrive, false, site);
}

// d, of how many threads, or whether of any or all, p is true.
template <Name op, class D, class P>
EMU_INLINE void reduce_at(Site site, D &&d, unsigned number, unsigned threads, const P &p) {
  constexpr bool negate = has(op.view(), "and"); // of all: of none that it is not
  const bool mine = get<bool>(p);
  int everybody = 0;
  const unsigned agreed =
      is_of_whole_block(number, threads)
          ? static_cast<unsigned>(barrier_count(mine != negate, everybody, site))
          : named_barrier(number, threads, NamedUse::count, mine != negate, site);
  if constexpr (has(op.view(), "popc"))
    set(d, agreed);
  else
    set(d, (agreed != 0) != negate);
}
template <Name op, class D, class A, class P>
requires(is_block_barrier<op>("red")) EMU_INLINE
    void barriers(Site site, D &&d, const A &number, const P &p) {
  reduce_at<op>(site, d, get<unsigned>(number), 0, p);
}
template <Name op, class D, class A, class B, class P>
requires(is_block_barrier<op>("red")) EMU_INLINE
    void barriers(Site site, D &&d, const A &number, const B &threads, const P &p) {
  reduce_at<op>(site, d, get<unsigned>(number), get<unsigned>(threads), p);
}

} // namespace emu::ptx
