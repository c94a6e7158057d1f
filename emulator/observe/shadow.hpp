/// \file
/// Shadow memory: what the instruments remember about each word that kernels can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace emu {

/// Who accessed a word, and how far synchronisation had come for them then.
struct __attribute__((packed, aligned(4))) Stamp {
  uint64_t block : 44;
  uint64_t thread : 11; // linear, in the block; `nobody` if nobody accessed it
  uint64_t is_atomic : 1;
  uint64_t is_volatile : 1;
  uint64_t scope : 2;
  uint32_t barriers; // that the block had passed
  uint32_t pc;
  uint16_t clock; // meetings of its warp that it had taken part in
  uint16_t fences; // that the thread had issued, and meetings in groups of several warps

  static constexpr unsigned nobody = 2047;
};

/// The history of one word of 4 bytes. Its last write, and of the reads since then the last one,
/// with the last ones by another lane of its warp, another warp of its block and another block:
/// a writer that is ordered after some of these may not be ordered after all.
struct Cell {
  uint32_t launch = 0; // of the stamps; those of another launch are ordered before everything
  uint32_t shared_block : 30; // of the stamps, for shared memory
  uint32_t is_split : 1; // bytes were accessed alone: they have cells of their own, elsewhere
  uint32_t has_atomic : 1; // an atomic was done here: its stamp lies elsewhere
  Stamp write;
  Stamp last_read;
  Stamp read_by_lane, read_by_warp, read_by_block;

  Cell() : shared_block(0), is_split(0), has_atomic(0) {}
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
  /// The region that holds the address or, with `distance`, one that begins or ends that close.
  Region *find(const char *address, size_t distance = 0);
  /// The shadow of this host thread's shared memory.
  Region &shared() { return shared_; }
  /// Nothing of the shared memory has been written: a block begins.
  void forget_shared();

private:
  std::map<const char *, Region> regions_;
  Region *last_ = nullptr;
  Region shared_;
};

/// The one that Bounds and Races look at.
Shadow &shadow();

} // namespace emu
