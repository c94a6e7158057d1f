/// \file
/// Looks for accesses that nothing orders: two threads, one word, at least one write.
///
/// What orders two accesses:
/// - the end of a launch;
/// - within a block a __syncthreads, within a warp a __syncwarp, shuffle or vote in between;
/// - a release and an acquire: the first thread issues a fence after its access and then writes an
///   atomic (or volatile) variable; the second reads what it wrote, or what came of it, and only
///   then accesses. Fence and atomics must have a scope that holds both threads. What had been
///   ordered before the fence (by barriers, by an acquire) is released with it.
/// On the acquiring side the atomic alone is enough: programs rarely write the fence there, and
/// nothing a thread does later can overtake a value that it depends on.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

class Races : public Observer {
public:
  explicit Races(HazardSink &sink) : sink_(sink) {}

  void launch_begins(const LaunchConfig &config) override;
  void block_begins(uint64_t block, int threads) override;
  void access(const ThreadAccess &access) override;
  void barrier() override;
  void lanes_met(int warp, uint32_t lanes) override;
  void fence(int thread, Scope scope) override;

private:
  struct Variable;
  /// A thread knows the releases [0, count) of a variable.
  using Knowledge = std::unordered_map<const Variable *, size_t>;

  /// What one release made known: everything its thread and, up to the last barrier, its block did.
  struct Release {
    uint64_t block;
    int thread;
    uint32_t barriers; // passed by the block when the fence was issued
    uint16_t warp_meetings; // held by the warp then
    uint16_t fences; // issued by the thread, this one included
    Scope scope;
    Knowledge acquired; // what the thread knew from others
  };
  /// A variable through which threads synchronise: the releases it has received, oldest first.
  struct Variable {
    std::vector<Release> releases;
    std::unordered_map<uint64_t, std::vector<size_t>> of_block; // indices of a block's releases
  };

  struct Thread {
    uint16_t fences = 0;
    Scope fence_scope = Scope::block; // of the last one
    uint32_t barriers_at_fence = 0;
    uint16_t meetings_at_fence = 0;
    Knowledge known;
    Knowledge known_at_fence;
  };

  Stamp stamp(const ThreadAccess &access) const;
  bool ordered(const Stamp &earlier, const ThreadAccess &now) const;
  bool released(const Knowledge &known, const Stamp &earlier, int depth) const;
  void synchronise(const ThreadAccess &access);
  void check_word(Cell &cell, const ThreadAccess &access, unsigned bytes);
  void report(const Stamp &earlier, bool earlier_wrote, const ThreadAccess &now);

  HazardSink &sink_;
  uint32_t launch_ = 0;
  uint32_t block_number_ = 0; // counts blocks as they run, to tell shadows of shared memory apart
  uint64_t block_ = 0;
  uint32_t barriers_ = 0;
  std::vector<uint16_t> meetings_; // of each warp
  std::vector<Thread> threads_;
  bool anything_known_ = false; // in this block
  std::unordered_map<const char *, std::unique_ptr<Variable>> variables_;
};

} // namespace emu
