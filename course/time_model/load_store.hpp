/// \file
/// The unit of an SM that all requests to memory go through, and shuffles: one after the other.
#pragma once

#include "memory_side.hpp"
#include "sm_warp.hpp"

namespace model {

class LoadStore {
public:
  LoadStore(const LaunchTrace &launch,
            const Device &device,
            const Traffic &traffic,
            Simulated &result)
      : d_(device), result_(result), memory_(launch, device, traffic, result) {}

  void shuffle(SmWarp &warp, const Step &step, const Lowered &instruction, double at);
  void access(SmWarp &warp,
              BlockCache &cache,
              const BlockTrace &block,
              const Step &step,
              const Lowered &instruction,
              double at);
  /// Until when the memory behind it is at work, for a launch whose last warp ends at `end`.
  double done(double end) const;

private:
  void access_local(SmWarp &warp, const Step &step, const Lowered &instruction, double at);
  void access_shared(SmWarp &warp, const Step &step, const Lowered &instruction, double at);
  void atomic(SmWarp &warp, const Step &step, const Lowered &instruction, double begin);
  /// A queue that is full keeps the warp.
  void stall(SmWarp &warp, double served, const Step &step);

  const Device &d_;
  Simulated &result_;
  MemorySide memory_;
  double free_ = 0; // from when on
};

} // namespace model
