/// \file
/// The interface that every instrument implements. The recorder calls them; they never call it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../src/watcher.hpp"
#include "emu/instrument.hpp"
#include "emu/observe.hpp"

namespace emu {

enum class Space : uint8_t { global, shared, constant };
enum class Operation : uint8_t { load, store, atomic };

/// A stretch of memory.
struct Stretch {
  const char *base = nullptr;
  size_t bytes = 0;
  bool holds(const char *address) const { return static_cast<size_t>(address - base) < bytes; }
};

struct Region;

/// One access of one thread, as it happens.
struct ThreadAccess {
  char *address;
  uint32_t bytes;
  uint32_t piece; // bytes that one instruction moves, a power of 2: a structure takes several
  uint32_t pc; // of the instruction, from the start of the program
  Operation operation;
  Space space;
  Scope scope; // of an atomic
  bool is_volatile;
  int thread; // linear, in its block
  uint64_t block; // linear, in the grid
  Region *region; // that holds its first byte; null: none
};

/// One instruction of a warp: the accesses of its active lanes together.
struct WarpRequest {
  uint32_t pc;
  Operation operation;
  Space space;
  uint32_t bytes; // of one lane
  uint32_t active;
  const uint64_t *address; // of each lane; only those of active ones mean anything
  bool asynchronous = false; // the load of a cp.async
  AtomicSort sort = AtomicSort::alone;
};

/// Hazards are handed over with program counters; the reports turn them into lines.
struct FoundHazard {
  const char *kind;
  bool warning;
  Side here;
  Side other; // pc and site.line 0: no other side
  const char *message;
  bool in_one_warp = false; // of a race
};

class HazardSink {
public:
  virtual ~HazardSink() = default;
  virtual void found(const FoundHazard &hazard) = 0;
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual void launch_begins(const LaunchConfig &) {}
  virtual void block_begins(uint64_t /*block*/, int /*threads*/) {}
  virtual void block_ends() {}
  virtual void access(const ThreadAccess &) {}
  virtual void request(const WarpRequest &) {}
  virtual void basic_block(uint32_t /*pc*/, uint32_t /*active*/, uint32_t /*members*/) {}
  virtual void barrier() {}
  virtual void lanes_met(int /*warp*/, uint32_t /*lanes*/) {}
  virtual void fence(int /*thread*/, Scope) {}
  virtual void memory_allocated(char * /*base*/, size_t /*bytes*/, bool /*host_writes*/) {}
  virtual void memory_freed(char * /*base*/) {}
  virtual void memory_written(char * /*base*/, size_t /*bytes*/) {}
};

} // namespace emu
