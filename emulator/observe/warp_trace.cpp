#include "warp_trace.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace emu {

namespace {

// Orders events as a warp executes them: the deepest call first, then the lowest address. Events
// of one instruction (a load and a store of `x += 1` have the same address) keep their order.
uint64_t order(const TraceEvent &event) {
  return uint64_t{255u - event.depth} << 40 | uint64_t{event.pc} << 8 | event.type;
}

void hand_over(ObservedBlock &block,
               const TraceEvent &event,
               uint32_t active,
               uint32_t members,
               const uint64_t *address,
               AtomicSort sort,
               const std::vector<Observer *> &observers) {
  if (event.type == TraceEvent::basic_block) {
    for (Observer *observer : observers)
      observer->basic_block(block, event.pc, active, members);
    return;
  }
  const bool asynchronous = event.type == TraceEvent::async_load;
  const auto operation = asynchronous || sort == AtomicSort::reads ? Operation::load
                         : sort == AtomicSort::writes              ? Operation::store
                                                      : static_cast<Operation>(event.type);
  const WarpRequest request{
      event.pc, operation, event.space, event.bytes, active, address, asynchronous, sort};
  for (Observer *observer : observers)
    observer->request(block, request);
}

} // namespace

void WarpTrace::merge(ObservedBlock &block,
                      uint32_t members,
                      uint32_t pending,
                      const std::vector<Observer *> &observers) {
  std::array<size_t, 32> next{};
  uint32_t left = 0; // lanes with events still to merge
  for (int i = 0; i < 32; ++i)
    if (!lane(i).empty())
      left |= 1u << i;
  std::array<uint64_t, 32> address;
  // A pending lane without events may still do anything first.
  while (left && !(pending & ~left)) {
    uint64_t first = ~uint64_t{0};
    uint32_t active = 0;
    AtomicSort sort = AtomicSort::writes;
    for (const size_t i : LanesOf(left)) {
      const TraceEvent &event = lanes_[i][next[i]];
      const uint64_t key = order(event);
      if (key < first) {
        first = key;
        active = 0;
        sort = AtomicSort::writes;
      }
      if (key == first) {
        active |= 1u << i;
        sort = std::min(sort, AtomicSort{event.sort});
        address[i] = event.address;
      }
    }
    const auto any = static_cast<size_t>(__builtin_ctz(active));
    hand_over(block, lanes_[any][next[any]], active, members, address.data(), sort, observers);
    for (const size_t i : LanesOf(active))
      if (++next[i] == lanes_[i].size())
        left &= ~(1u << i);
  }
  for (size_t i = 0; i < 32; ++i)
    lanes_[i].erase(lanes_[i].begin(), lanes_[i].begin() + static_cast<long>(next[i]));
}

void WarpTrace::clear() {
  for (Lane &lane : lanes_)
    lane.clear();
}

} // namespace emu
