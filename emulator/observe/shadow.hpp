/// \file
/// Shadow memory: what the instruments remember about each word that kernels can reach.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace emu {

/// Who accessed a word, and how far synchronisation had come for them then.
struct Stamp {
  uint64_t block;
  unsigned thread; // linear, in the block
  uint32_t barriers; // that the block had passed
  uint32_t pc;
  uint16_t clock; // meetings of its warp that it had taken part in
  uint16_t fences; // that the thread had issued, and meetings in groups of several warps
};

/// A stamp as a word's history keeps it: the number of what the thread had behind it, which it shares with
/// its warp (see Races::Context), and the instruction.
struct Mark {
  uint32_t context = 0; // number of the context * 32 + lane; 0: nobody
  uint32_t pc : 28;
  uint32_t is_atomic : 1;
  uint32_t is_volatile : 1;
  uint32_t scope : 2;

  Mark() : pc(0), is_atomic(0), is_volatile(0), scope(0) {}
  explicit operator bool() const { return context != 0; }
};

/// The history of one word of 4 bytes: its last write, and the last of the reads since then. What few
/// words have lies elsewhere.
struct Cell {
  uint32_t number =
      0; // of the launch, for shared memory of the block; other histories do not count
  uint32_t more = 0; // where there is more of it (see Races::More); 0: nowhere
  Mark write;
  Mark last_read;
};

/// A stretch of memory with its shadow.
struct Region {
  char *base = nullptr;
  size_t bytes = 0;
  bool alive = true;
  int device = -1; // that it belongs to; -1: of the host or managed, for all devices
  bool from_pool = false; // of that device: who may reach it, the pool says
  Cell *cells = nullptr; // one per 4 bytes
  uint8_t *written = nullptr; // one per 4 bytes: a bit per byte that was written

  size_t words() const { return bytes / 4 + 2; }
  bool holds(const char *address) const { return static_cast<size_t>(address - base) < bytes; }
};

/// All regions, found by address.
class Shadow {
public:
  Shadow();
  void add(char *base, size_t bytes, bool written, int device = -1, bool from_pool = false);
  void retire(char *base);
  void mark_written(char *base, size_t bytes);
  /// The region that holds the address, or null.
  Region *find(const char *address);
  /// The same for an access: an instruction mostly touches the region that it touched before.
  Region *find(const char *address, uint32_t pc) {
    Region *&before = of_instruction_[pc % of_instruction_.size()];
    if (!before || !before->holds(address))
      before = find(address);
    return before;
  }
  /// One that begins or ends within `distance` bytes of an address that no region holds, or null.
  Region *find_near(const char *address, size_t distance);
  /// The shadow of this host thread's shared memory.
  Region &shared() { return shared_; }
  /// Nothing of the shared memory has been written: a block begins.
  void forget_shared();

private:
  std::map<const char *, Region> regions_;
  std::array<Region *, 1024> of_instruction_{}; // each at its number modulo 1024
  Region shared_;
};

/// The one that Bounds and Races look at.
Shadow &shadow();

} // namespace emu
