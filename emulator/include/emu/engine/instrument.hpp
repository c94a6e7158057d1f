/// \file
/// What device functions tell the instruments, beyond what the compiler's instrumentation says of
/// plain loads and stores. In a plain program these calls vanish.
#pragma once

namespace emu {

/// Among which threads an atomic or a fence takes effect.
enum class Scope : unsigned char { block, cluster, device, system };

/// What nvcc and the hardware make of an atomic, as far as counters can tell. In rising order: lanes
/// of one instruction whose sorts differ are of the lowest one.
enum class AtomicSort : unsigned char {
  alone, // each lane for itself: floats, 64 bits, exchanges
  compare, // compare and swap
  combines, // 32-bit integers: for a common address, nvcc makes one operation of a warp's
  adds_one, // and of these, one that shared memory counts for all lanes at once
  reads, // an atomic load: for the counters, a load
  writes, // an atomic store
  arrives, // at a barrier with phases, which orders by these
  awaits // a phase of such a barrier
};

#ifdef EMU_OBSERVED
/// One atomic operation, whatever loop it is made of.
/// \param expected  by a compare and swap, its bits
void note_atomic(const void *address,
                 unsigned bytes,
                 Scope scope,
                 AtomicSort sort = AtomicSort::alone,
                 unsigned long expected = 0);
void note_fence(Scope scope);
/// The atomic just noted acquires: it needs no fence behind it.
void note_acquire();
/// The kernel asks which lanes run together just now.
void note_active_mask();
/// The read just made was by way of a cache that nobody tells of writes.
void note_read_only(const void *address, unsigned bytes);
#else
inline void
note_atomic(const void *, unsigned, Scope, AtomicSort = AtomicSort::alone, unsigned long = 0) {}
inline void note_fence(Scope) {}
inline void note_acquire() {}
inline void note_active_mask() {}
inline void note_read_only(const void *, unsigned) {}
#endif

#ifdef EMU_OBSERVED
/// Where a structure is defined. The rewriter adds an array of them in the section emu_structures.
struct StructurePlace {
  const char *file;
  int line;
};
#endif

} // namespace emu
