/// \file
/// In what order the lanes of a warp know of each other: through __syncwarp, shuffles and votes,
/// which may name all lanes or some.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace emu {

class LaneOrder {
public:
  /// What a lane knows: of each lane (or, if one number stands alone, of all) the clock below which
  /// its accesses are ordered before what comes now.
  using View = std::vector<uint32_t>;

  /// How many meetings a lane has taken part in.
  uint32_t clock(int lane) const { return apart_ ? apart_->clock[index(lane)] : meetings_; }
  /// Whether that is the same number for all lanes.
  bool alike() const { return !apart_; }
  /// Whether what `other` did at that clock is ordered before what `lane` does now.
  bool ordered(int other, uint32_t clock, int lane) const {
    return clock < (apart_ ? apart_->seen[index(lane)][index(other)] : meetings_);
  }
  View view(int lane) const;
  static bool ordered(int other, uint32_t clock, const View &view) {
    return !view.empty() && clock < (view.size() == 1 ? view[0] : view[index(other)]);
  }

  /// \param lanes    those that met, or were named and had exited
  /// \param members  all of the warp
  void met(uint32_t lanes, uint32_t members);
  /// A barrier of the block orders all lanes.
  void barrier();

private:
  static size_t index(int lane) { return static_cast<size_t>(lane); }
  void all_met();

  // As long as only whole warps meet, one number says it all.
  uint32_t meetings_ = 0;
  struct Apart {
    std::array<uint32_t, 32> clock;
    std::array<std::array<uint32_t, 32>, 32> seen; // [lane][other]
  };
  std::unique_ptr<Apart> apart_;
};

} // namespace emu
