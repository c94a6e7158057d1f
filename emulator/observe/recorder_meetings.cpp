// What the recorder learns of threads that stop, and of those that meet.
#include "../src/engine/block.hpp"
#include "look.hpp"
#include "recorder.hpp"

namespace emu {

void Recorder::merge_warp(int warp, uint32_t pending) {
  for (Observer *observer : of_requests_)
    observer->warp_begins(warp);
  traces_[static_cast<size_t>(warp)].merge(
      members_[static_cast<size_t>(warp)], pending, of_requests_);
}

void Recorder::thread_stops(int thread, Stop why) {
  if (!in_block_)
    return;
  const Look look;
  if (why == Stop::exit) {
    depth_[static_cast<size_t>(thread)] = 0;
    for (Observer *observer : of_accesses_)
      observer->thread_exits(thread);
  }
  if (!tracing_)
    return;
  const auto warp = static_cast<size_t>(thread / 32);
  const uint32_t lane = 1u << (thread % 32);
  stopped_[warp] |= lane;
  pending_[warp] = why == Stop::full ? pending_[warp] | lane : pending_[warp] & ~lane;
  if (stopped_[warp] == members_[warp]) {
    merge_warp(thread / 32, pending_[warp]);
    stopped_[warp] &= ~pending_[warp];
    pending_[warp] = 0;
  }
}

void Recorder::barrier_released() {
  if (!in_block_)
    return;
  const Look look;
  if (tracing_)
    for (size_t warp = 0; warp * 32 < static_cast<size_t>(threads_); ++warp)
      stopped_[warp] = this_block->exited_lanes(static_cast<int>(warp));
  tell(&Observer::barrier);
}

void Recorder::lanes_met(int warp, uint32_t lanes) {
  if (!in_block_)
    return;
  const Look look;
  tell(&Observer::lanes_met, warp, lanes);
}

void Recorder::warps_met(int first, int count) {
  const Look look;
  if (in_block_)
    tell(&Observer::group_met, first, count);
}

} // namespace emu
