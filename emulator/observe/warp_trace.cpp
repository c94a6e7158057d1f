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

} // namespace

void WarpTrace::merge(ObservedBlock &block,
                      uint32_t members,
                      uint32_t pending,
                      const std::vector<Observer *> &observers) {
  std::array<const TraceEvent *, 32> next, end;
  uint32_t left = 0; // lanes with events still to merge
  for (size_t i = 0; i < 32; ++i) {
    next[i] = lanes_[i].data();
    end[i] = next[i] + lanes_[i].size();
    if (next[i] != end[i])
      left |= 1u << i;
  }
  std::array<uint64_t, 32> address;
  // A pending lane without events may still do anything first.
  while (left && !(pending & ~left)) {
    uint64_t first = ~uint64_t{0};
    uint32_t active = 0;
    AtomicSort sort = AtomicSort::awaits;
    for (const size_t i : LanesOf(left)) {
      const uint64_t order = next[i]->order();
      if (order < first) {
        first = order;
        active = 0;
        sort = AtomicSort::awaits;
      }
      if (order == first) {
        active |= 1u << i;
        sort = std::min(sort, next[i]->sort());
        address[i] = next[i]->address();
      }
    }
    hand_over(block,
              *next[static_cast<size_t>(__builtin_ctz(active))],
              active,
              members,
              address.data(),
              sort,
              observers);
    for (const size_t i : LanesOf(active)) {
      if (++next[i] == end[i])
        left &= ~(1u << i);
      __builtin_prefetch(next[i] + 8); // one lane's events after another's
    }
  }
  for (size_t i = 0; i < 32; ++i)
    lanes_[i].erase(lanes_[i].begin(), lanes_[i].begin() + (next[i] - lanes_[i].data()));
}

void WarpTrace::clear() {
  for (Lane &lane : lanes_)
    lane.clear();
}

} // namespace emu
