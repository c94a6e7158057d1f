/// \file
/// Asynchronous copies that have begun and that nobody has waited for. Until then nobody may touch what they write, nor
/// change what they read, whatever else orders the threads.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

/// Those of a block. Which bytes are theirs the shadow's bits tell (Region::written).
class InFlight {
public:
  explicit InFlight(HazardSink &sink) : sink_(sink) {}

  struct Copy {
    const char *to, *from;
    uint32_t bytes, read; // of them; the others are set to 0
    int thread;
    uint32_t pc;
    Region *source; // null: none
    uint64_t begun = 0; // behind so many barriers
    bool follows_at_once = false; // no more than one barrier behind an earlier copy to its place
  };

  /// A bulk copy.
  struct Bulk {
    const char *to, *from;
    size_t bytes;
    int thread;
    uint64_t block; // the thread's
    uint32_t pc;
    bool combines; // with what is there, as atomics do
    bool reads = true; // its source, still
  };

  /// A block begins.
  void forget(uint64_t block) {
    block_ = block;
    copies_.clear();
    landed_.clear();
    bulks_.clear();
    barriers_ = 0;
  }
  void barrier() { ++barriers_; }
  void begins(Copy copy, Region &shared);
  /// The copy to this address.
  Copy ends(const char *to, Region &shared);
  /// Reports an access of what a copy is to write, or a write of what one may still read.
  void look_at(const ThreadAccess &access) {
    if (!copies_.empty() && access.region && is_marked(access))
      look_closer(access);
    if (!bulks_.empty())
      look_at_bulks(access);
  }
  void begins(const Bulk &bulk) { bulks_.push_back(bulk); }
  /// The thread's bulk copy between these places has read its source, or is over. \return what it was before
  Bulk bulk_read(const char *to, const char *from, int thread);
  std::optional<Bulk> bulk_ends(const char *to, const char *from, int thread, uint64_t block);

private:
  static bool is_marked(const ThreadAccess &access);
  void look_closer(const ThreadAccess &access);
  bool waited_behind_barrier(int thread) const; // for a copy of its own
  void look_at_bulks(const ThreadAccess &access) const;
  void report(const ThreadAccess &access,
              uint64_t block,
              int thread,
              uint32_t pc,
              const char *does,
              bool own) const;
  std::vector<Bulk>::iterator find(const char *to, const char *from, int thread, uint64_t block);
  const Copy *that_writes(const char *address) const;
  const Copy *that_reads(const ThreadAccess &access) const;

  HazardSink &sink_;
  uint64_t block_ = 0; // its number
  uint64_t barriers_ = 0; // of the block's threads, so far
  std::unordered_map<const char *, Copy> copies_; // by where they write to
  struct Landed {
    uint64_t barriers; // as `begun`
    int thread;
  };
  std::unordered_map<const char *, Landed> landed_; // the last one there
  std::vector<Bulk> bulks_;
};

} // namespace emu
