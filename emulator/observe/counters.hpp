/// \file
/// Counts requests, sectors, wavefronts and active lanes by instruction.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "observer.hpp"
#include "request_cost.hpp"

namespace emu {

Access access_of(const WarpRequest &request);

class Counters : public Observer {
public:
  using PerAccess = std::array<uint64_t, static_cast<size_t>(Access::count)>;
  struct Key {
    uint32_t pc;
    Access access;
    uint32_t bytes;
    bool operator<(const Key &other) const {
      return std::tie(pc, access, bytes) < std::tie(other.pc, other.access, other.bytes);
    }
  };
  struct Counted {
    AccessCounts counts;
    RequestSample worst;
    bool several_addresses = false; // of an atomic, in any of the requests
    void add(const Counted &other);
  };
  /// The counts of an atomic whose requests have one address each: where nvcc sees that, one lane does
  /// what all of them want.
  static AccessCounts combined(AccessCounts counts);
  struct BasicBlock {
    uint64_t executions = 0;
    uint64_t lanes = 0;
    uint64_t divergent = 0; // executions with fewer lanes than the warp has
    void add(const BasicBlock &other);
  };

  unsigned wants() const override { return requests; }
  void launch_begins(const ObservedLaunch &) override;
  std::unique_ptr<BlockNotes> make_notes() const override { return std::make_unique<Notes>(); }
  void request(ObservedBlock &block, const WarpRequest &request) override;
  void basic_block(ObservedBlock &block, uint32_t pc, uint32_t active, uint32_t members) override;
  void barrier(ObservedBlock &block) override { barriers_ += block.traced; }
  void block_ends(ObservedBlock &block) override;
  void warp_begins(ObservedBlock &, int warp) override { warp_ = static_cast<size_t>(warp); }
  void lanes_met(ObservedBlock &block, int, uint32_t, Site) override {
    warp_meetings_ += block.traced;
  }
  void active_mask_asked(ObservedBlock &) override { ++active_masks_; }

  const std::map<Key, Counted> &accesses() const { return accesses_; }
  const std::unordered_map<uint32_t, BasicBlock> &basic_blocks() const { return basic_blocks_; }
  uint64_t barriers() const { return barriers_; }
  uint64_t warp_meetings() const { return warp_meetings_; }
  uint64_t active_masks() const { return active_masks_; }
  /// Requests of the launch's busiest warp.
  const PerAccess &busiest_warp() const { return busiest_warp_; }

private:
  std::map<Key, Counted> accesses_;
  std::unordered_map<uint32_t, BasicBlock> basic_blocks_;
  uint64_t barriers_ = 0;
  uint64_t warp_meetings_ = 0;
  uint64_t active_masks_ = 0;
  struct Notes : BlockNotes {
    std::array<PerAccess, 32> requests{}; // of each warp
  };
  size_t warp_ = 0; // whose requests come
  PerAccess busiest_warp_{};
};

} // namespace emu
