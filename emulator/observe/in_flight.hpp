/// \file
/// Asynchronous copies that have begun and that nobody has waited for. Until then nobody may touch what they write, nor
/// change what they read, whatever else orders the threads.
#pragma once

#include <cstdint>
#include <unordered_map>

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
  };

  /// A block begins.
  void forget() { copies_.clear(); }
  void begins(const Copy &copy, Region &shared);
  /// The copy to this address.
  Copy ends(const char *to, Region &shared);
  /// Reports an access of what a copy is to write, or a write of what one may still read.
  void look_at(const ThreadAccess &access) {
    if (!copies_.empty() && access.region && is_marked(access))
      look_closer(access);
  }

private:
  static bool is_marked(const ThreadAccess &access);
  void look_closer(const ThreadAccess &access);
  const Copy *that_writes(const char *address) const;
  const Copy *that_reads(const ThreadAccess &access) const;

  HazardSink &sink_;
  std::unordered_map<const char *, Copy> copies_; // by where they write to
};

} // namespace emu
