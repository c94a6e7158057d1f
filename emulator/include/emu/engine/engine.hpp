/// \file
/// What a kernel needs of the engine that runs it: who it is, shared memory, and waiting.
///
/// One block runs on one host thread. Its threads run one after the other in a plain loop until
/// one has to wait; from then on each of them owns a fiber (a stack) and they take turns. So the
/// indices below are ordinary thread-local variables that the engine sets at each turn.
///
/// Templates that headers call themselves return `auto`: g++ makes what has a deduced type where it is called, once in a
/// precompiled header, and puts all others off to the end of each source that has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "emu/engine/fiber.hpp"
#include "emu/language/keywords.hpp"
#include "emu/language/types.hpp"

extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
constexpr int warpSize = 32;

namespace emu {

/// A place in the user's source, for messages. Two sites are the same if file and line are.
struct Site {
  const char *file = "";
  int line = 0;
};

/// Whose turn it is on this host thread.
struct Turn {
  Fiber *fiber = nullptr; // that runs; those of a block lie one behind the other
  const void *body = nullptr; // what the threads run
  void (*thread)(const void *body) = nullptr; // runs one of them: see KernelBody
  /// Of a block whose threads wait at one barrier in the order of their ids: all before `due` wait
  /// at `site`, and it comes next. Null where the first or the last thread is due, and everywhere else.
  Fiber *due = nullptr;
  Site site;
  /// The same where threads exit in this order: all before it have.
  Fiber *leaving = nullptr;
  Fiber *last = nullptr; // of the block's last thread
};
extern constinit thread_local Turn turn;
/// Whether nobody of the block has waited yet: its threads are rounds of a loop. (A variable of its own, of
/// one byte: so no store of a kernel's of more than that can change it, and the compiler knows.)
extern constinit thread_local bool in_a_row;

/// Lets the next thread of the order go on, if the running one is `expected`.
inline __attribute__((always_inline)) bool pass_on(Fiber *&expected) {
  Fiber *const mine = turn.fiber;
  if (mine != expected)
    return false;
  Fiber *const next = mine + 1;
  expected = next == turn.last ? nullptr : next;
  turn.fiber = next;
  threadIdx = next->index;
  switch_fiber(*mine, *next);
  return true;
}

/// Ends the running thread. Returns when this stack has another one to run, in this block or in a later
/// one.
void end_thread_slow();
EMU_UNOBSERVED inline __attribute__((always_inline)) void end_thread() {
  if (!pass_on(turn.leaving))
    end_thread_slow();
}

/// \name Waiting
/// @{
void barrier_slow(Site site);
/// __syncthreads(). In a block that waits in order all but two of its threads take this way, which is
/// a handful of instructions: the caller's registers are saved by the caller, no others.
inline __attribute__((always_inline)) void barrier(Site site) {
#ifndef EMU_OBSERVED
  if (site.line == turn.site.line && site.file == turn.site.file && pass_on(turn.due)) [[likely]]
    return;
#endif
  barrier_slow(site);
}
/// __syncthreads_count: how many of the block's threads gave a predicate that is not 0; `arrived`
/// gets the number of threads that took part.
int barrier_count(int predicate, int &arrived, Site site);
/// What the lanes of a warp left for each other.
struct Exchanged {
  const uint64_t *values; // by lane, of the lanes in `met`; valid until this thread waits again
  unsigned met; // lanes that took part: those of the mask that had not exited
  unsigned absent; // lanes of the mask that had exited
};
/// `what` needs all lanes that its mask names, and some had exited. In observed programs: a warning.
void warn_of_absent(const char *what, unsigned absent, Site site);
/// What a warp's lanes meet for: all that one mask names have to come for the same.
enum class Meet : uint8_t { sync, shuffle, vote, match, reduce };
/// Waits for the lanes of `mask` and hands over 8 bytes.
Exchanged exchange(unsigned mask, uint64_t value, Site site, Meet meet = Meet::sync);
/// Lanes of the warp that arrive together at the same site by the same calls: those that can, wait for each other.
/// \param caller  where the calling function returns to
unsigned converge_from(Site site, const void *caller);
inline __attribute__((always_inline)) unsigned converge(Site site) {
  return converge_from(site, __builtin_return_address(0));
}
/// Waits for the threads [first, first + count) of the block that have not exited: the barrier of a
/// group of several warps.
void barrier_of(int first, int count, Site site);
/// A place for each thread of the block, where members of a group leave what others shall find.
const void **thread_slots();
/// Waits for all threads of the grid, which must have been launched cooperatively.
void grid_barrier(Site site);
/// Lets the other threads of the block run.
/// \param asked  how often the caller has looked for what it waits for
void yield(unsigned asked = 1);
/// @}

/// Whether the running kernel was launched cooperatively: all its blocks live at the same time.
bool in_cooperative_launch();

/// Lane of the running thread, [0, 32).
int lane_id();

/// Counts the atomics and fences that a thread executes without waiting, and yields whenever the count wraps round,
/// so that a loop that spins on another thread of its block comes to an end. (Of two bytes: so no store of a kernel's
/// of more than that can change it, and the compiler knows.)
extern constinit thread_local uint16_t spins;
/// \param changed  it has changed memory: so it is seldom all that a waiting thread does, and counts little
EMU_UNOBSERVED inline void spin_hint([[maybe_unused]] bool changed = false) {
  constexpr unsigned whole = 64, wraps_at = 1 << 16;
#ifdef EMU_OBSERVED
  const unsigned now = spins + whole;
#else
  const unsigned now = spins + (changed ? 1 : whole);
#endif
  spins = static_cast<uint16_t>(now);
  if (now >= wraps_at) [[unlikely]]
    yield(wraps_at / whole);
}

/// Whether two values differ in their bits: a NaN equals nothing else.
template <class T> EMU_UNOBSERVED inline auto differ(const T &a, const T &b) {
#ifdef EMU_OBSERVED
  // Word by word: the instruments hear of memcmp.
  using Bits = std::conditional_t<sizeof(T) % 8 == 0,
                                  unsigned long,
                                  std::conditional_t<sizeof(T) % 4 == 0, unsigned, unsigned char>>;
  typedef Bits Word __attribute__((__may_alias__));
  const auto *words_of_a = reinterpret_cast<const Word *>(&a);
  const auto *words_of_b = reinterpret_cast<const Word *>(&b);
  for (std::size_t i = 0; i < sizeof(T) / sizeof(Word); ++i)
    if (words_of_a[i] != words_of_b[i])
      return true;
  return false;
#else
  return __builtin_memcmp(&a, &b, sizeof a) != 0;
#endif
}

/// The same behind an atomic `update` of `old`.
template <class T, class Update>
EMU_UNOBSERVED inline auto spin_hint_of(const T &old, [[maybe_unused]] const Update &update) {
#ifdef EMU_OBSERVED
  spin_hint();
#else
  spin_hint(differ<T>(update(old), old));
#endif
}

/// What `?:` has chosen, for an element of it to be taken: g++ 12 works out the index of `(a ? b : c)[i / 2]` in one of
/// the branches alone, as soon as a sanitizer looks at shifts or divisions.
template <class T> EMU_INLINE constexpr T *chosen(T *pointer) { return pointer; }
template <class T> EMU_INLINE constexpr T &&chosen(T &&other) { return static_cast<T &&>(other); }

/// Stands in the loops of functions that use `volatile`: as no call tells of these accesses, each turn may be
/// one of a wait for another thread. Observed programs hear of the accesses themselves.
EMU_UNOBSERVED constexpr void volatile_hint() {
#ifndef EMU_OBSERVED
  if (!std::is_constant_evaluated())
    spin_hint();
#endif
}

/// Reports a mistake of a kernel, once per kind, site and launch: who made it and, where two take
/// part, who the other was.
/// \param kind  one of the words of the tutor's verdicts: "invalid_shuffle", "deadlock", …
/// \param text  what is wrong, as part of a sentence
void complain(
    const char *kind, const char *text, Site site, uint3 other_thread = {}, Site other = {});
/// Reports that the running lane asks for the value of a lane that has not come to this call.
void complain_of_source(unsigned mask, int source, Site site);
/// Reports a shuffle among so many lanes, which CUDA does not define.
void complain_of_width(int width, Site site);
/// complain(); then the launch fails with the CUDA error `error` and the running thread never comes
/// back.
[[noreturn]] void fail_launch(int error, const char *kind, const char *text, Site site);
/// Whether the calling host thread is executing a kernel.
bool in_kernel();

// ------------------------------------------------------------------------------ shared memory

/// One `__shared__` variable of the source. Its place in the block's shared memory is given out
/// once a launch, at the first use.
struct SharedVariable {
  const char *name;
  size_t size; // bytes
  size_t align; // bytes
  size_t extents[3]; // of an array in its first dimensions; 0: it has none
  uint32_t launch = 0;
  uint32_t offset = 0; // bytes from the start of the static shared memory
};

extern uint32_t current_launch; // number of the running launch; changes between launches only
extern constinit thread_local char *static_shared;
extern constinit thread_local char *dynamic_shared;

/// Bytes from static_shared on, in which all of a block's shared memory lies.
constexpr size_t shared_arena_bytes = (2 * 48 + 1 + 227 + 1) * 1024;
/// Whether the address lies in the shared memory of the block that this host thread runs.
EMU_UNOBSERVED inline bool is_shared_here(const void *address) {
  return static_cast<size_t>(static_cast<const char *>(address) - static_shared) <
         shared_arena_bytes;
}

void place_shared(SharedVariable &variable);

EMU_UNOBSERVED inline void *shared(SharedVariable &variable) {
  if (__atomic_load_n(&variable.launch, __ATOMIC_ACQUIRE) != current_launch) [[unlikely]]
    place_shared(variable);
  return static_shared + variable.offset;
}

} // namespace emu
