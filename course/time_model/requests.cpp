// What several lanes do together: exchanges, and requests to memory.
#include "emulator/observe/request_cost.hpp"
#include "values.hpp"

#include <algorithm>

namespace model {
namespace {

emu::WarpRequest as_request(const Request &r, emu::Space space = emu::Space::shared) {
  using emu::AtomicSort;
  const auto operation = r.operation == Operation::load    ? emu::Operation::load
                         : r.operation == Operation::store ? emu::Operation::store
                                                           : emu::Operation::atomic;
  return {0,
          operation,
          space,
          static_cast<uint32_t>(r.bytes),
          r.active,
          r.address,
          r.asynchronous,
          r.operation == Operation::add ? AtomicSort::adds_one : AtomicSort::alone};
}

/// What redux makes of the values of all lanes.
uint64_t combine_lanes(const Instruction &i, uint32_t active, const uint64_t *values) {
  uint64_t combined = 0;
  bool first = true;
  for (const size_t lane : LanesOf(active)) {
    const auto v = static_cast<int64_t>(extended(values[lane], i.type)),
               before = static_cast<int64_t>(combined);
    const int64_t both = first                  ? v
                         : i.kind == Kind::add  ? before + v
                         : i.kind == Kind::min  ? std::min(before, v)
                         : i.kind == Kind::max  ? std::max(before, v)
                         : i.kind == Kind::and_ ? before & v
                         : i.kind == Kind::or_  ? before | v
                                                : before ^ v;
    combined = static_cast<uint64_t>(both);
    first = false;
  }
  return combined;
}

} // namespace

void exchange_lanes(const Instruction &i,
                    uint32_t active,
                    const std::array<const uint64_t *, 4> &from,
                    Lanes &result,
                    Lanes &valid) {
  uint32_t votes = 0;
  if (i.op == Op::vote)
    for (const size_t lane : LanesOf(active))
      votes |= static_cast<uint32_t>(from[0][lane] & 1) << lane;
  const uint64_t combined = i.op == Op::redux ? combine_lanes(i, active, from[0]) : 0;
  for_lanes(active, result, [&](size_t l) -> uint64_t {
    const int lane = static_cast<int>(l);
    switch (i.op) {
    case Op::shfl: {
      const int b = static_cast<int>(from[1][l] & 31);
      const int control = static_cast<int>(from[2][l]), clamp = control & 31,
                segment = control >> 8 & 31;
      const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
      int source = i.kind == Kind::up     ? lane - b
                   : i.kind == Kind::down ? lane + b
                   : i.kind == Kind::bfly ? lane ^ b
                                          : first | (b & ~segment);
      const bool inside = i.kind == Kind::up ? source >= last : source <= last;
      source = inside ? source & 31 : lane;
      valid[l] = inside;
      return from[0][source];
    }
    case Op::vote:
      return i.kind == Kind::ballot ? votes
             : i.kind == Kind::any  ? votes != 0
             : i.kind == Kind::uni  ? votes == 0 || votes == active
                                    : votes == active;
    case Op::match: {
      uint32_t same = 0;
      for (const size_t other : LanesOf(active))
        same |= static_cast<uint32_t>(from[0][other] == from[0][l]) << other;
      return same;
    }
    case Op::redux:
      return static_cast<uint32_t>(combined);
    default:
      return active;
    }
  });
}

unsigned shared_wavefronts(const Request &request) {
  return emu::count_wavefronts(as_request(request)).wavefronts;
}

void note_atomic(Step &step, const Request &request) {
  const auto turns = emu::count_atomic_sectors(as_request(request, emu::Space::global));
  step.wavefronts = static_cast<uint16_t>(turns.all);
  step.whole = static_cast<uint16_t>(turns.whole);
}

void distinct_sectors(const Request &request, std::vector<uint64_t> &sectors) {
  const auto begin = static_cast<long>(sectors.size());
  for (const size_t lane : LanesOf(request.active)) {
    const uint64_t address = request.address[lane];
    for (uint64_t s = address / 32; s <= (address + request.bytes - 1) / 32; ++s)
      if (static_cast<long>(sectors.size()) == begin || sectors.back() != s)
        sectors.push_back(s);
  }
  std::sort(sectors.begin() + begin, sectors.end());
  sectors.erase(std::unique(sectors.begin() + begin, sectors.end()), sectors.end());
}

unsigned distinct_lines(std::vector<uint64_t>::const_iterator begin,
                        std::vector<uint64_t>::const_iterator end) {
  unsigned lines = 0;
  for (auto at = begin; at != end; ++at)
    lines += at == begin || *at / 4 != at[-1] / 4;
  return lines;
}

} // namespace model
