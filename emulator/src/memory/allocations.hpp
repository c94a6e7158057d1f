// The table of all memory the device may touch: what cudaMalloc and its kin gave out, host memory
// that was registered, and `__device__` variables whose address was asked for.
#pragma once

#include <cstddef>
#include <optional>

#include "emu/runtime/driver_types.hpp"
#include "memory/guarded_memory.hpp"

namespace emu {

/// opened: device memory of another process
enum class MemoryKind : unsigned char { device, managed, pinned, registered, symbol, opened };

/// A flag of device memory that a pool has given out.
constexpr unsigned from_pool = 1;
/// A flag of managed memory that is a variable of the program's: nobody frees it.
constexpr unsigned of_program = 1u << 31;

struct Allocation {
  char *base;
  size_t size; // bytes
  MemoryKind kind;
  unsigned flags; // as given to cudaHostAlloc, cudaHostRegister; of a device's: from_pool, or none
  bool alive; // false once freed, for as long as its memory is kept back
  unsigned long long serial; // no two allocations of a run have the same
  int device; // that it belongs to; of host memory, the one that was chosen when it was made
  int file = -1; // in which its pages lie, once other processes have been let in

  /// Whether `size` bytes from `start` on, which must lie inside, end inside too.
  bool holds(const void *start, size_t bytes) const {
    return bytes <= static_cast<size_t>(base + size - static_cast<const char *>(start));
  }
};

/// The allocation that holds the address, a freed one too while its memory is kept back. Callable
/// from every thread.
std::optional<Allocation> find_allocation(const void *address);

/// The one that ends or begins nearest to an address outside of all, if that is no farther than the
/// stretches between two.
std::optional<Allocation> find_near_allocation(const void *address);

/// New memory, filled with `fresh_byte`; null when it would exceed the device's memory.
void *allocate(size_t size, MemoryKind kind, unsigned flags, int device);

enum class FreeResult { freed, not_a_base, unknown };

/// Frees an allocation given by its first byte. Memory that `accepts(kind)` refuses stays.
FreeResult release(void *base, bool (*accepts)(MemoryKind kind));

/// Enters memory that belongs to somebody else; false if it overlaps an entry that is alive.
bool enter(void *base, size_t size, MemoryKind kind, unsigned flags, int device);

/// Puts the pages of an allocation of the device's into a file, where other processes can reach them; its
/// addresses and values stay. \return the file's descriptor, closed with the allocation; -1: not possible
int put_into_file(void *base);

void free_all_allocations(int device);

/// For the instruments: a kernel that they did not see may have written everything.
void tell_all_memory_written();
/// For the instruments: what was there before them.
void tell_of_all_memory();

/// Whose memory pool it is: a device's number; -1: nobody's.
int owner_of(cudaMemPool_t pool);

size_t allocated_bytes(int device); // of device and managed memory
size_t allocated_bytes_high(int device); // the most there ever were

} // namespace emu
