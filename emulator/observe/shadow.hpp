/// \file
/// Shadow memory: what the instruments remember about each word that kernels can reach.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

#include "emu/engine/instrument.hpp"

namespace emu {

/// Who accessed a word, and how far synchronisation had come for them then.
struct Stamp {
  uint64_t block;
  unsigned thread; // linear, in the block
  uint32_t barriers; // that the block had passed
  uint32_t pc;
  uint32_t clock; // meetings of its warp that it had taken part in
  uint32_t fences; // that the thread had issued, and meetings in groups of several warps
};

/// A stamp as a word's history keeps it: the number of what the thread had behind it, which it shares with
/// its warp (see Races::Context), and the instruction.
/// (One number, because putting bit-fields together in memory takes longer than all else that is done
/// for an access.)
class Mark {
public:
  Mark() = default;
  /// \param context  its number * 32 + lane; 0: nobody
  Mark(uint32_t context, uint32_t pc, bool is_atomic, bool is_volatile, Scope scope)
      : bits_(context | uint64_t{pc & 0xfffffff} << 32 | uint64_t{is_atomic} << 60 |
              uint64_t{is_volatile} << 61 | uint64_t{static_cast<uint8_t>(scope)} << 62) {}
  explicit operator bool() const { return context() != 0; }
  uint32_t context() const { return static_cast<uint32_t>(bits_); }
  uint32_t pc() const { return bits_ >> 32 & 0xfffffff; }
  bool is_atomic() const { return bits_ >> 60 & 1; }
  bool is_volatile() const { return bits_ >> 61 & 1; }
  Scope scope() const { return static_cast<Scope>(bits_ >> 62); }

private:
  uint64_t bits_ = 0;
};

/// The history of one word of 4 bytes: its last write, and the last of the reads since then. What few
/// words have lies elsewhere.
struct Cell {
  uint32_t number =
      0; // of the launch, for shared memory of the block; other histories do not count
  /// Where there is more of it (see Races::More), or with `split` the cells of its bytes, which tell all of it; 0: nowhere.
  uint32_t more = 0;
  Mark write;
  Mark last_read;

  static constexpr uint32_t split = uint32_t{1} << 31;
  bool is_split() const { return more & split; }
};
// Six times the memory that it is kept of, and each access reads it: what is seldom needed goes to `more`.
static_assert(sizeof(Cell) == 24);

/// A stretch of memory with its shadow.
struct Region {
  char *base = nullptr;
  size_t bytes = 0;
  bool alive = true;
  int device = -1; // that it belongs to; -1: of the host or managed, for all devices
  bool from_pool = false; // of that device: who may reach it, the pool says
  bool of_device = false; // not for host code
  bool of_heap = false; // a kernel has it from malloc or new
  Cell *cells = nullptr; // one per 4 bytes
  /// One per 4 bytes: a bit per byte that was written; and above them a bit per byte that an asynchronous copy is to
  /// write (in shared memory) or may still read (elsewhere), see InFlight.
  uint8_t *written = nullptr;

  /// What is remembered of a word mostly lies in no cache, and its instruments ask for it one after the other.
  void fetch(const char *address) const {
    const auto word = static_cast<size_t>(address - base) / 4;
    __builtin_prefetch(cells + word, 1);
    __builtin_prefetch(written + word);
  }
  size_t words() const { return bytes / 4 + 2; }
  bool holds(const char *address) const { return static_cast<size_t>(address - base) < bytes; }
};

/// The shadow of the shared memory of one Block of the engine's.
class SharedShadow {
public:
  SharedShadow() = default;
  ~SharedShadow();
  SharedShadow(const SharedShadow &) = delete;
  SharedShadow &operator=(const SharedShadow &) = delete;

  /// A block begins in the shared memory that this host thread works on.
  void begin();
  /// It has ended: nothing of it was written, for the next one.
  /// \param dynamic_bytes  that its launch has asked for
  void end(size_t dynamic_bytes);
  Region &region() { return region_; }
  const Region &region() const { return region_; }

private:
  Region region_;
};

/// All regions, found by address; for several host threads at a time.
class Shadow {
public:
  Shadow();
  /// \param region  of which base, bytes, and whose it is are given
  void add(const Region &region, bool written);
  void retire(char *base);
  /// Nothing is known of it any more.
  void drop(char *base);
  void mark_written(char *base, size_t bytes);
  /// The region that holds the address, or null.
  Region *find(const char *address);
  /// The same for an access: an instruction mostly touches the region that it touched before.
  Region *find(const char *address, uint32_t pc) {
    Region *const found = find(address);
    of_instruction_[pc % of_instruction_.size()].store(found, std::memory_order_relaxed);
    return found;
  }
  /// The region that the instruction touched before, if it holds the address and was not freed; else null.
  Region *touched_before(const char *address, uint32_t pc) const {
    Region *const before =
        of_instruction_[pc % of_instruction_.size()].load(std::memory_order_relaxed);
    return before && before->holds(address) && before->alive ? before : nullptr;
  }
  /// One that begins or ends within `distance` bytes of an address that no region holds, or null.
  Region *find_near(const char *address, size_t distance);

private:
  Region *find_locked(const char *address);
  bool may_hold(const char *address) const;

  std::shared_mutex mutex_; // of the map
  std::map<const char *, Region> regions_;
  std::atomic<char *> lowest_ = nullptr,
                      highest_ = nullptr; // between which they lie, but for the program's own
  std::array<std::atomic<Region *>, 1024> of_instruction_{}; // each at its number modulo 1024
};

} // namespace emu
