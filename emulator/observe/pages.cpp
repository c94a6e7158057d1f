#include "pages.hpp"

#include <algorithm>

#include "../src/memory/allocations.hpp"
#include "look.hpp"

namespace emu {

namespace {

constexpr size_t page_bytes = 4096;

} // namespace

PageReport &Pages::report() {
  const auto same = std::find_if(reports_.begin(), reports_.end(), [&](const PageReport &earlier) {
    return earlier.part == part_;
  });
  if (same != reports_.end())
    return *same;
  reports_.push_back({part_, {}});
  return reports_.back();
}

void Pages::set_limits() {
  lowest_ = allocations_.empty() ? nullptr : allocations_.rbegin()->first;
  highest_ = allocations_.empty()
                 ? nullptr
                 : allocations_.begin()->first + allocations_.begin()->second.bytes;
}

void Pages::memory_allocated(const Allocation &made) {
  if (made.kind != MemoryKind::managed)
    return;
  const std::lock_guard lock(instruments_mutex());
  allocations_[made.base] = {made.size,
                             std::vector<Page>((made.size + page_bytes - 1) / page_bytes)};
  set_limits();
}

void Pages::memory_freed(char *base) {
  const std::lock_guard lock(instruments_mutex());
  if (const auto found = allocations_.find(base); found != allocations_.end()) {
    std::vector<Page> &pages = found->second.pages;
    std::erase_if(arrivals_, [&](const auto &arrival) {
      return arrival.first >= pages.data() && arrival.first < pages.data() + pages.size();
    });
    on_device_ -= static_cast<size_t>(std::ranges::count_if(pages, &Page::on_device));
    allocations_.erase(found);
  }
  set_limits();
}

template <class Change> void Pages::for_each(const char *memory, size_t bytes, Change change) {
  const std::lock_guard lock(instruments_mutex());
  const auto found = allocations_.lower_bound(memory); // the last one that begins at or before it
  if (found == allocations_.end() || bytes == 0)
    return;
  auto &[base, allocation] = *found;
  const auto first = static_cast<size_t>(memory - base);
  if (first >= allocation.bytes)
    return;
  const size_t last = std::min(first + bytes, allocation.bytes) - 1;
  for (size_t number = first / page_bytes; number <= last / page_bytes; ++number) {
    Page &page = allocation.pages[number];
    const bool was_there = page.on_device();
    change(page);
    if (page.on_device() == was_there)
      continue;
    if (was_there) {
      --on_device_;
    } else {
      ++on_device_;
      make_room(page);
    }
  }
}

void Pages::make_room(Page &arrived) {
  const size_t room = device_pages();
  if (room == 0)
    return;
  arrived.arrival = ++arrival_;
  arrivals_.push_back({&arrived, arrival_});
  while (on_device_ > room && !arrivals_.empty()) {
    const auto [oldest, arrival] = arrivals_.front();
    arrivals_.pop_front();
    if (!oldest->on_device() || oldest->arrival != arrival)
      continue; // it has left since, and may have come back
    ++report().counts.moved_out;
    oldest->place = Place::host;
    --on_device_;
  }
}

void Pages::touch_pages(const char *address, size_t bytes, bool by_device, bool writes) {
  for_each(address, bytes, [&](Page &page) {
    by_device ? touch_by_device(page, writes) : touch_by_host(page, writes);
  });
}

void Pages::touch_by_device(Page &page, bool writes) {
  switch (page.place) {
  case Place::device:
    return;
  case Place::both:
    page.place = writes ? Place::device : Place::both;
    return;
  case Place::nowhere:
    ++report().counts.made_by_kernels;
    page.place = page.prefers_host ? Place::host : Place::device;
    return;
  case Place::host:
    break;
  }
  const bool new_to_launch = page.reached_by != launch_;
  page.reached_by = launch_;
  if (page.device_may_reach && !page.read_mostly) {
    report().counts.over_the_link += new_to_launch;
    return;
  }
  ++report().counts.kernel_faults;
  if (page.read_mostly && !writes)
    page.place = Place::both;
  else if (page.prefers_host)
    page.device_may_reach = true; // the fault has found a way
  else
    page.place = Place::device;
}

void Pages::touch_by_host(Page &page, bool writes) {
  if (page.place == Place::nowhere)
    ++report().counts.made_by_host;
  if (page.place == Place::device)
    ++report().counts.host_faults;
  const bool stays_there =
      page.read_mostly && !writes && (page.place == Place::device || page.place == Place::both);
  page.place = stays_there ? Place::both : Place::host;
}

// A copy reaches every page where it lies, and makes those that are not there.
void Pages::task_ends(const Task &task, TaskCost &) {
  if (task.kind != TaskKind::copy && task.kind != TaskKind::set)
    return;
  const bool on_device = task.route == Route::to_device || task.route == Route::in_device;
  const auto write = [&](Page &page) {
    if (page.place == Place::nowhere || page.place == Place::both)
      page.place = on_device ? Place::device : Place::host;
  };
  for (const Strip &strip : task.writes)
    for (size_t slice = 0; slice < strip.slices; ++slice)
      for (size_t row = 0; row < strip.rows; ++row)
        for_each(strip.first + slice * strip.slice_pitch + row * strip.pitch, strip.width, write);
}

void Pages::pages_prefetched(const char *memory, size_t bytes, bool to_device) {
  for_each(memory, bytes, [&](Page &page) {
    const Place there = to_device ? Place::device : Place::host;
    const bool comes = page.place == (to_device ? Place::host : Place::device);
    if (comes)
      ++(to_device ? report().counts.sent_to_device : report().counts.sent_to_host);
    if (page.place == Place::both && page.read_mostly)
      return; // it is there already
    page.place = comes && page.read_mostly ? Place::both : there;
  });
}

// What nobody needs has no place: the next touch or prefetch makes it anew, and nothing moves.
void Pages::pages_discarded(const char *memory, size_t bytes) {
  for_each(memory, bytes, [](Page &page) { page.place = Place::nowhere; });
}

void Pages::pages_advised(const char *memory, size_t bytes, cudaMemoryAdvise advice, bool device) {
  for_each(memory, bytes, [&](Page &page) {
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      page.read_mostly = advice == cudaMemAdviseSetReadMostly;
      if (!page.read_mostly && page.place == Place::both)
        page.place = Place::host;
      return;
    case cudaMemAdviseSetPreferredLocation:
    case cudaMemAdviseUnsetPreferredLocation:
      page.prefers_host = advice == cudaMemAdviseSetPreferredLocation && !device;
      return;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
      if (device)
        page.device_may_reach = advice == cudaMemAdviseSetAccessedBy;
      return;
    }
  });
}

} // namespace emu
