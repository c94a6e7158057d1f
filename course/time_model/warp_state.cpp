#include "warp_state.hpp"

namespace model {
namespace {

constexpr unsigned lines_at_once = 2; // that the L1 looks up, as gathers on an H200 tell

} // namespace

void merge(Warp &w) {
  for (size_t i = 0; i < w.groups.size(); ++i)
    for (size_t k = i + 1; k < w.groups.size();)
      if (w.groups[k].pc == w.groups[i].pc && w.groups[k].at_barrier == w.groups[i].at_barrier) {
        w.groups[i].lanes |= w.groups[k].lanes;
        w.groups.erase(w.groups.begin() + static_cast<long>(k));
      } else {
        ++k;
      }
}

void note(BlockTrace &trace,
          Step &step,
          const Lanes &address,
          size_t bytes,
          uint32_t active,
          Operation operation,
          bool asynchronous) {
  if (active == 0)
    return;
  const uint64_t first = address[static_cast<size_t>(__builtin_ctz(active))];
  const Request request{operation, bytes, active, address.data(), asynchronous};
  if (first >= local_window) {
    step.wavefronts = static_cast<uint16_t>(std::max<size_t>(1, bytes / 4));
  } else if (first >= shared_window) {
    step.wavefronts = static_cast<uint16_t>(shared_wavefronts(request));
  } else {
    if (operation == Operation::atomic || operation == Operation::add)
      step.wavefronts = static_cast<uint16_t>(atomic_turns(request));
    step.first = static_cast<uint32_t>(trace.sectors.size());
    distinct_sectors(request, trace.sectors);
    step.sectors = static_cast<uint16_t>(trace.sectors.size() - step.first);
    step.lines = static_cast<uint16_t>(
        distinct_lines(trace.sectors.begin() + step.first, trace.sectors.end()));
    const Request words{Operation::load, bytes, active, address.data()};
    step.l1_turns = static_cast<uint16_t>(
        std::max<unsigned>((step.lines + 1) / lines_at_once, shared_wavefronts(words)));
  }
}

} // namespace model
