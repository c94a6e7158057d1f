#include "warp_state.hpp"

namespace model {
namespace {

constexpr unsigned lines_at_once = 2; // that the L1 looks up, as gathers on an H200 tell

/// A sector, and which of its bytes are touched.
using Touch = std::pair<uint64_t, uint32_t>;

/// A bit for each of `bytes` from `first` on, of a word or sector of `size` that begins at `begin`.
uint32_t bits_of(uint64_t first, uint64_t bytes, uint64_t begin, uint64_t size) {
  const uint64_t from = std::max(first, begin) - begin,
                 to = std::min(first + bytes, begin + size) - begin;
  return static_cast<uint32_t>((uint64_t{1} << to) - (uint64_t{1} << from));
}

/// Each sector once.
void join(std::vector<Touch> &touches) {
  std::sort(touches.begin(), touches.end());
  size_t kept = 0;
  for (const auto &[sector, bytes] : touches)
    if (kept > 0 && touches[kept - 1].first == sector)
      touches[kept - 1].second |= bytes;
    else
      touches[kept++] = {sector, bytes};
  touches.resize(kept);
}

void note_stored(Step &step, const std::vector<Touch> &touches) {
  uint64_t last = 0;
  for (const auto &[sector, bytes] : touches) {
    if (bytes == ~0u) {
      ++step.whole;
    } else if (step.pieces_in_part == 0 || last != sector / 2) {
      ++step.pieces_in_part;
      last = sector / 2;
    }
  }
}

void note_stored(Step &step, const Request &request) {
  std::vector<Touch> touches;
  for (const size_t lane : LanesOf(request.active)) {
    const uint64_t first = request.address[lane];
    for (uint64_t s = first / 32; s <= (first + request.bytes - 1) / 32; ++s)
      touches.push_back({s, bits_of(first, request.bytes, 32 * s, 32)});
  }
  join(touches);
  note_stored(step, touches);
}

/// Of a thread's words in local memory those with one number lie side by side: a line for all lanes.
void note_local(Step &step, const Request &request) {
  std::vector<Touch> touches;
  for (const size_t lane : LanesOf(request.active)) {
    const uint64_t first = request.address[lane] - local_window;
    for (uint64_t word = first / 4; word <= (first + request.bytes - 1) / 4; ++word)
      touches.push_back(
          {word * 4 + lane / 8, bits_of(first, request.bytes, 4 * word, 4) << 4 * (lane % 8)});
  }
  join(touches);
  if (request.operation == Operation::store)
    note_stored(step, touches);
  std::vector<uint64_t> sectors;
  for (const Touch &touch : touches)
    sectors.push_back(touch.first);
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
      note_atomic(step, request);
    step.first = static_cast<uint32_t>(trace.sectors.size());
    distinct_sectors(request, trace.sectors);
    step.sectors = static_cast<uint16_t>(trace.sectors.size() - step.first);
    step.lines = static_cast<uint16_t>(
        distinct_lines(trace.sectors.begin() + step.first, trace.sectors.end()));
    if (operation == Operation::store)
      note_stored(step, request);
    const Request words{Operation::load, bytes, active, address.data()};
    step.l1_turns = static_cast<uint16_t>(
        std::max<unsigned>((step.lines + 1) / lines_at_once, shared_wavefronts(words)));
  }
}

} // namespace model
