#include "page_places.hpp"

#include <algorithm>

namespace emu {

void PagePlaces::add(const char *base, size_t bytes) {
  allocations_[base] = {bytes, std::vector<Page>((bytes + page_bytes - 1) / page_bytes)};
}

bool PagePlaces::remove(const char *base) {
  const auto found = allocations_.find(base);
  if (found == allocations_.end())
    return false;
  std::vector<Page> &pages = found->second.pages;
  std::erase_if(arrivals_, [&](const auto &arrival) {
    return arrival.first >= pages.data() && arrival.first < pages.data() + pages.size();
  });
  on_device_ -= static_cast<size_t>(std::ranges::count_if(pages, &Page::on_device));
  allocations_.erase(found);
  return true;
}

template <class Change> void PagePlaces::for_each(const char *memory, size_t bytes, Change change) {
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

void PagePlaces::make_room(Page &arrived) {
  const size_t fit = room();
  if (fit == 0)
    return;
  arrived.arrival = ++arrival_;
  arrivals_.push_back({&arrived, arrival_});
  while (on_device_ > fit && !arrivals_.empty()) {
    const auto [oldest, arrival] = arrivals_.front();
    arrivals_.pop_front();
    if (!oldest->on_device() || oldest->arrival != arrival)
      continue; // it has left since, and may have come back
    ++counts().moved_out;
    oldest->place = Place::host;
    --on_device_;
  }
}

void PagePlaces::touch(const char *address, size_t bytes, bool by_device, bool writes) {
  for_each(address, bytes, [&](Page &page) {
    by_device ? touch_by_device(page, writes) : touch_by_host(page, writes);
  });
}

void PagePlaces::touch_by_device(Page &page, bool writes) {
  switch (page.place) {
  case Place::device:
    return;
  case Place::both:
    page.place = writes ? Place::device : Place::both;
    return;
  case Place::nowhere:
    ++counts().made_by_kernels;
    page.place = page.prefers_host ? Place::host : Place::device;
    return;
  case Place::host:
    break;
  }
  const bool new_to_launch = page.reached_by != launch_;
  page.reached_by = launch_;
  if (page.device_may_reach && !page.read_mostly) {
    counts().over_the_link += new_to_launch;
    return;
  }
  ++counts().kernel_faults;
  if (page.read_mostly && !writes)
    page.place = Place::both;
  else if (page.prefers_host)
    page.device_may_reach = true; // the fault has found a way
  else
    page.place = Place::device;
}

void PagePlaces::touch_by_host(Page &page, bool writes) {
  if (page.place == Place::nowhere)
    ++counts().made_by_host;
  if (page.place == Place::device)
    ++counts().host_faults;
  const bool stays_there =
      page.read_mostly && !writes && (page.place == Place::device || page.place == Place::both);
  page.place = stays_there ? Place::both : Place::host;
}

void PagePlaces::written_by_copy(const char *memory, size_t bytes, bool on_device) {
  for_each(memory, bytes, [&](Page &page) {
    if (page.place == Place::nowhere || page.place == Place::both)
      page.place = on_device ? Place::device : Place::host;
  });
}

void PagePlaces::prefetch(const char *memory, size_t bytes, bool to_device) {
  for_each(memory, bytes, [&](Page &page) {
    const Place there = to_device ? Place::device : Place::host;
    const bool comes = page.place == (to_device ? Place::host : Place::device);
    if (comes)
      ++(to_device ? counts().sent_to_device : counts().sent_to_host);
    if (page.place == Place::both && page.read_mostly)
      return; // it is there already
    page.place = comes && page.read_mostly ? Place::both : there;
  });
}

// What nobody needs has no place: the next touch or prefetch makes it anew, and nothing moves.
void PagePlaces::discard(const char *memory, size_t bytes) {
  for_each(memory, bytes, [](Page &page) { page.place = Place::nowhere; });
}

void PagePlaces::advise(const char *memory, size_t bytes, cudaMemoryAdvise advice, bool device) {
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

void PagePlaces::each_away_from_host(const std::function<void(char *, size_t)> &there) const {
  for (const auto &[base, allocation] : allocations_) {
    const std::vector<Page> &pages = allocation.pages;
    const auto is_away = [&](size_t page) {
      return pages[page].place == Place::device || pages[page].place == Place::nowhere;
    };
    for (size_t first = 0, next = 0; first < pages.size(); first = next) {
      const bool away = is_away(first);
      for (next = first + 1; next < pages.size() && is_away(next) == away; ++next)
        ;
      if (away)
        there(const_cast<char *>(base) + first * page_bytes,
              std::min(next * page_bytes, allocation.bytes) - first * page_bytes);
    }
  }
}

} // namespace emu
