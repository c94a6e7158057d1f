#include "warp_trace.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace emu {

namespace {

void hand_over(ObservedBlock &block,
               const TraceEvent &event,
               uint32_t active,
               uint32_t members,
               const uint64_t *address,
               AtomicSort sort,
               const std::vector<Observer *> &observers) {
  if (event.type() == TraceEvent::basic_block) {
    for (Observer *observer : observers)
      observer->basic_block(block, event.pc(), active, members);
    return;
  }
  const bool asynchronous = event.type() == TraceEvent::async_load;
  const auto operation = asynchronous || sort == AtomicSort::reads || sort == AtomicSort::awaits
                             ? Operation::load
                         : sort == AtomicSort::writes ? Operation::store
                                                      : static_cast<Operation>(event.type());
  const WarpRequest request{
      event.pc(), operation, event.space(), event.bytes(), active, address, asynchronous, sort};
  for (Observer *observer : observers)
    observer->request(block, request);
}

/// Where the lanes' traces are read.
struct Places {
  std::array<const TraceEvent *, 32> next, end;
  uint32_t left = 0; // lanes with events still to merge

  /// How many of the next `most` events are the same for all of these lanes, and come before `bound`.
  size_t in_step(uint32_t lanes, size_t most, uint64_t bound) const {
    const TraceEvent *const first = next[static_cast<size_t>(__builtin_ctz(lanes))];
    for (const size_t i : LanesOf(lanes)) {
      most = std::min(most, static_cast<size_t>(end[i] - next[i]));
      size_t same = 0;
      while (same < most && next[i][same].is_like(first[same]))
        ++same;
      most = same;
    }
    size_t before = 0;
    while (before < most && first[before].order() < bound)
      ++before;
    return before;
  }
  void advance(uint32_t lanes, size_t events) {
    for (const size_t i : LanesOf(lanes)) {
      next[i] += events;
      if (next[i] == end[i])
        left &= ~(1u << i);
      __builtin_prefetch(next[i] + 8); // one lane's events after another's
    }
  }
};

} // namespace

void WarpTrace::merge(ObservedBlock &block,
                      uint32_t members,
                      uint32_t pending,
                      const std::vector<Observer *> &observers) {
  Places places;
  auto &[next, end, left] = places;
  for (size_t i = 0; i < 32; ++i) {
    next[i] = lanes_[i].data();
    end[i] = next[i] + lanes_[i].size();
    if (next[i] != end[i])
      left |= 1u << i;
  }
  std::array<uint64_t, 32> address;
  // A pending lane without events may still do anything first.
  while (left && !(pending & ~left)) {
    uint64_t first = ~uint64_t{0}, bound = first; // where the others are
    uint32_t active = 0;
    AtomicSort sort = AtomicSort::awaits;
    for (const size_t i : LanesOf(left)) {
      const uint64_t order = next[i]->order();
      if (order < first) {
        bound = first;
        first = order;
        active = 0;
        sort = AtomicSort::awaits;
      }
      if (order == first) {
        active |= 1u << i;
        sort = std::min(sort, next[i]->sort());
        address[i] = next[i]->address();
      } else {
        bound = std::min(bound, order);
      }
    }
    const auto lowest = static_cast<size_t>(__builtin_ctz(active));
    hand_over(block, *next[lowest], active, members, address.data(), sort, observers);
    places.advance(active, 1);
    size_t most = 2, count;
    do { // as long as they are in step, and behind the others
      most = std::min<size_t>(2 * most, 32);
      count = places.in_step(active, most, bound);
      for (size_t k = 0; k < count; ++k) {
        const TraceEvent &event = next[lowest][k];
        if (event.type() != TraceEvent::basic_block)
          for (const size_t i : LanesOf(active))
            address[i] = next[i][k].address();
        hand_over(block, event, active, members, address.data(), event.sort(), observers);
      }
      places.advance(active, count);
    } while (count == most);
  }
  for (size_t i = 0; i < 32; ++i)
    lanes_[i].erase(lanes_[i].begin(), lanes_[i].begin() + (next[i] - lanes_[i].data()));
}

void WarpTrace::clear() {
  for (Lane &lane : lanes_)
    lane.clear();
}

} // namespace emu
