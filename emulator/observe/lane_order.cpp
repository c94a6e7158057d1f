#include "lane_order.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace emu {

LaneOrder::View LaneOrder::view(int lane) const {
  if (uniform_)
    return {meetings_};
  return View(seen_[index(lane)].begin(), seen_[index(lane)].end());
}

void LaneOrder::all_met() {
  if (!uniform_)
    meetings_ = *std::max_element(clock_.begin(), clock_.end());
  ++meetings_;
  uniform_ = true;
}

void LaneOrder::barrier() {
  if (!uniform_)
    all_met();
}

void LaneOrder::met(uint32_t lanes, uint32_t alive) {
  if (lanes == alive) {
    all_met();
    return;
  }
  if (uniform_) {
    uniform_ = false;
    clock_.fill(meetings_);
    for (auto &of_lane : seen_)
      of_lane.fill(meetings_);
  }
  // Together they know what any of them knew, and what each has done up to here.
  std::array<uint16_t, 32> all{};
  for (const size_t lane : LanesOf(lanes)) {
    for (size_t other = 0; other < 32; ++other)
      all[other] = std::max(all[other], seen_[lane][other]);
    all[lane] = std::max<uint16_t>(all[lane], ++clock_[lane]);
  }
  for (const size_t lane : LanesOf(lanes))
    seen_[lane] = all;
}

} // namespace emu
