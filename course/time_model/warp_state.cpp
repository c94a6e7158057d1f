#include "warp_state.hpp"

namespace model {
namespace {

constexpr unsigned lines_at_once = 2; // that the L1 looks up, as gathers on an H200 tell

/// Of a thread's words in local memory those with one number lie side by side: a line for all lanes.
void note_local(Step &step, const Request &request) {
  std::vector<uint64_t> sectors;
  for (const size_t lane : LanesOf(request.active)) {
    const uint64_t first = request.address[lane] - local_window;
    for (uint64_t word = first / 4; word <= (first + request.bytes - 1) / 4; ++word)
      sectors.push_back(word * 4 + lane / 8);
  }
  std::sort(sectors.begin(), sectors.end());
  for (size_t i = 7; i < sectors.size() && request.bytes % 4 == 0; ++i)
    step.local_full += sectors[i] == sectors[i - 7];
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  step.local_sectors = static_cast<uint16_t>(sectors.size());
  step.lines = static_cast<uint16_t>(distinct_lines(sectors.begin(), sectors.end()));
  step.l1_turns = static_cast<uint16_t>((step.lines + 1) / lines_at_once);
}

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
    note_local(step, request);
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
