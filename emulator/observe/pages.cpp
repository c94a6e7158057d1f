#include "pages.hpp"

#include <algorithm>

#include "../src/memory/allocations.hpp"
#include "look.hpp"

namespace emu {

PageCounts &Pages::counts_of(const std::string &part) {
  const auto same = std::find_if(reports_.begin(), reports_.end(), [&](const PageReport &earlier) {
    return earlier.part == part;
  });
  if (same != reports_.end())
    return same->counts;
  reports_.push_back({part, {}});
  return reports_.back().counts;
}

void Pages::add(const std::vector<PageReport> &later) {
  for (const PageReport &report : later)
    counts_of(report.part).add(report.counts);
}

size_t Pages::room() const { return device_pages(); }

void Pages::set_limits() {
  lowest_ = lowest();
  highest_ = highest();
}

void Pages::memory_allocated(const Allocation &made) {
  if (made.kind != MemoryKind::managed)
    return;
  const std::lock_guard lock(instruments_mutex());
  PagePlaces::add(made.base, made.size);
  set_limits();
}

void Pages::memory_freed(char *base) {
  const std::lock_guard lock(instruments_mutex());
  remove(base);
  set_limits();
}

void Pages::touch_locked(const char *address, size_t bytes, bool by_device, bool writes) {
  const std::lock_guard lock(instruments_mutex());
  touch(address, bytes, by_device, writes);
}

void Pages::task_ends(const Task &task, TaskCost &) {
  if (task.kind != TaskKind::copy && task.kind != TaskKind::set)
    return;
  const bool on_device = task.route == Route::to_device || task.route == Route::in_device;
  const std::lock_guard lock(instruments_mutex());
  for (const Strip &strip : task.writes)
    for (size_t slice = 0; slice < strip.slices; ++slice)
      for (size_t row = 0; row < strip.rows; ++row)
        written_by_copy(
            strip.first + slice * strip.slice_pitch + row * strip.pitch, strip.width, on_device);
}

void Pages::pages_prefetched(const char *memory, size_t bytes, bool to_device) {
  const std::lock_guard lock(instruments_mutex());
  prefetch(memory, bytes, to_device);
}

void Pages::pages_discarded(const char *memory, size_t bytes) {
  const std::lock_guard lock(instruments_mutex());
  discard(memory, bytes);
}

void Pages::pages_advised(const char *memory, size_t bytes, cudaMemoryAdvise advice, bool device) {
  const std::lock_guard lock(instruments_mutex());
  advise(memory, bytes, advice, device);
}

} // namespace emu
