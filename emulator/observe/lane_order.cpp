#include "lane_order.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace emu {

LaneOrder::View LaneOrder::view(int lane) const {
  if (!apart_)
    return {meetings_};
  const auto &seen = apart_->seen[index(lane)];
  return View(seen.begin(), seen.end());
}

void LaneOrder::all_met() {
  if (apart_)
    meetings_ = *std::max_element(apart_->clock.begin(), apart_->clock.end());
  ++meetings_;
  apart_ = nullptr;
}

void LaneOrder::barrier() {
  if (apart_)
    all_met();
}

void LaneOrder::met(uint32_t lanes, uint32_t members) {
  if (lanes == members) {
    all_met();
    return;
  }
  if (!apart_) {
    apart_ = std::make_unique<Apart>();
    apart_->clock.fill(meetings_);
    for (auto &of_lane : apart_->seen)
      of_lane.fill(meetings_);
  }
  auto &[clock, seen] = *apart_;
  // Together they know what any of them knew, and what each has done up to here.
  std::array<uint32_t, 32> all{};
  for (const size_t lane : LanesOf(lanes)) {
    for (size_t other = 0; other < 32; ++other)
      all[other] = std::max(all[other], seen[lane][other]);
    all[lane] = std::max<uint32_t>(all[lane], ++clock[lane]);
  }
  for (const size_t lane : LanesOf(lanes))
    seen[lane] = all;
}

} // namespace emu
