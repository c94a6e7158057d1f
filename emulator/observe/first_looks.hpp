/// \file
/// `old = *address` in front of a loop around atomicCAS: an ordinary load that races with the exchanges of others,
/// and does no harm, because atomicCAS compares with what it has read before it stores anything.
///
/// A load is such a look if all that it races with is atomicCAS, if some thread hands what it has read there to an
/// atomicCAS on the same word next, and if no thread does anything else: reads the word once more with nothing in
/// between (it waits for others), stores to it, or expects another value there. A thread may also leave the word alone
/// from there on: it has seen enough. (Who waits for a value by such loads, and then exchanges it, is told from them
/// only where somebody does have to wait.)
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "observer.hpp"

namespace emu {

class FirstLooks {
public:
  explicit FirstLooks(HazardSink &sink) : sink_(sink) {}

  /// A load by a thread, numbered over the grid, races with an atomicCAS.
  /// \param place  a word of 4 bytes, which still holds what was read
  void suspect(const FoundHazard &race, uint32_t pc, uint64_t thread, const char *place);
  /// What the thread does next, before it does it.
  void access(uint64_t thread, const ThreadAccess &access) {
    judged_ = false;
    if (!suspected_.empty()) [[unlikely]]
      look_at(thread, access);
  }
  /// The access is an atomicCAS, and its thread's last one of this word the load `pc`: with nobody in between, or
  /// access() has judged it.
  void looked_again(uint32_t pc, const ThreadAccess &access, const char *place) {
    if (!judged_)
      judge(pc, access, place, place);
  }
  /// Nothing that threads have read is handed on any more.
  void forget() { suspected_.clear(); }
  /// Tells of the races: a launch is over.
  void settle();

private:
  struct Suspect {
    const char *place;
    uint32_t pc;
    char read[4];
    bool went_on = false; // to other memory
  };
  struct Look {
    bool again = false, otherwise = false;
    std::vector<FoundHazard> races; // with different instructions
  };
  void look_at(uint64_t thread, const ThreadAccess &access);
  void judge(uint32_t pc, const ThreadAccess &exchange, const char *place, const char *read);

  HazardSink &sink_;
  std::unordered_map<uint64_t, std::vector<Suspect>> suspected_; // by threads
  std::unordered_map<uint32_t, Look> looks_; // by instructions
  bool judged_ = false; // by the last access
};

} // namespace emu
