#include "steps/span.hpp"

#include <algorithm>

#ifdef BUILD_FIRST_EMULATOR
#include <observation/timeline.hpp>

namespace {

/// All bars but those of the host that waits.
std::vector<emu::TimelineBar> device_bars() {
  std::vector<emu::TimelineBar> bars;
  if (lab::being_observed())
    bars = emu::timeline().bars;
  std::erase_if(bars, [](const emu::TimelineBar &bar) { return bar.kind == "waits"; });
  return bars;
}

} // namespace

ModelTimeline::ModelTimeline() {
  LAB_CHECK(cudaDeviceSynchronize());
  before_ = device_bars().size();
}

std::vector<Bar> ModelTimeline::bars() const {
  LAB_CHECK(cudaDeviceSynchronize());
  const std::vector<emu::TimelineBar> all = device_bars();
  std::vector<Bar> mine;
  for (size_t i = before_; i < all.size(); ++i)
    mine.push_back({all[i].engine, all[i].begin_us, all[i].end_us});
  if (mine.empty())
    return mine;
  const auto by_begin = [](const Bar &a, const Bar &b) { return a.begin_us < b.begin_us; };
  const double start = std::min_element(mine.begin(), mine.end(), by_begin)->begin_us;
  for (Bar &bar : mine) {
    bar.begin_us -= start;
    bar.end_us -= start;
  }
  return mine;
}
#else
ModelTimeline::ModelTimeline() : before_(0) {}
std::vector<Bar> ModelTimeline::bars() const { return {}; }
#endif
