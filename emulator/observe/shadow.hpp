/// \file
/// Shadow memory: what the instruments remember about each word that kernels can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace emu {

/// Who accessed a word, and how far synchronisation had come for them then.
struct Stamp {
  uint64_t block : 44;
  uint64_t thread : 11; // linear, in the block; `nobody` if the word was not accessed
  uint64_t is_atomic : 1;
  uint64_t is_volatile : 1;
  uint64_t scope : 2;
  uint64_t bytes : 4; // which of the word's four
  uint32_t barriers; // that the block had passed
  uint32_t pc;
  uint16_t warp_meetings; // that the warp had held
  uint16_t fences; // that the thread had issued

  static constexpr unsigned nobody = 2047;
};

/// The history of one word of 4 bytes: its last write, and two reads since, by different threads.
struct Cell {
  uint32_t launch = 0; // of the stamps; those of another launch are ordered before everything
  uint32_t shared_block = 0;
  Stamp write;
  Stamp reads[2];
};

/// A stretch of memory with its shadow.
struct Region {
  char *base = nullptr;
  size_t bytes = 0;
  bool alive = true;
  Cell *cells = nullptr; // one per 4 bytes
  uint8_t *written = nullptr; // one per 4 bytes: a bit per byte that was written

  size_t words() const { return bytes / 4 + 2; }
  bool holds(const char *address) const { return static_cast<size_t>(address - base) < bytes; }
};

/// All regions, found by address.
class Shadow {
public:
  Shadow();
  void add(char *base, size_t bytes, bool written);
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
