#include "counters.hpp"

#include <algorithm>

namespace emu {

namespace {

RequestSample sample(const WarpRequest &request, unsigned cost) {
  RequestSample kept;
  kept.active = request.active;
  kept.cost = cost;
  std::copy(request.address, request.address + kept.address.size(), kept.address.begin());
  return kept;
}

} // namespace

void Counters::launch_begins(const ObservedLaunch &) {
  accesses_.clear();
  basic_blocks_.clear();
  barriers_ = warp_meetings_ = active_masks_ = 0;
  busiest_warp_.fill(0);
}

void Counters::block_ends(ObservedBlock &block) {
  if (!block.traced)
    return;
  for (PerAccess &requests : notes_of<Notes>(block).requests) {
    for (size_t access = 0; access < requests.size(); ++access)
      busiest_warp_[access] = std::max(busiest_warp_[access], requests[access]);
    requests.fill(0);
  }
}

Access access_of(const WarpRequest &request) {
  if (request.space == Space::constant)
    return Access::constant;
  const Access first = request.space == Space::shared ? Access::shared_load : Access::global_load;
  return static_cast<Access>(static_cast<int>(first) + static_cast<int>(request.operation));
}

void Counters::request(ObservedBlock &block, const WarpRequest &request) {
  const Access access = access_of(request);
  Counted &counted = accesses_[{request.pc, access, request.bytes}];
  AccessCounts &counts = counted.counts;
  const auto active = static_cast<unsigned>(__builtin_popcount(request.active));
  ++counts.requests;
  ++notes_of<Notes>(block).requests[warp_][static_cast<size_t>(access)];
  counts.lanes += active;
  counts.bytes += uint64_t{active} * request.bytes;
  unsigned sectors_or_wavefronts = 0;
  if (request.space == Space::shared) {
    const RequestCost cost = count_wavefronts(request);
    counts.wavefronts += cost.wavefronts;
    counts.ideal_wavefronts += cost.ideal_wavefronts;
    counts.max_conflict = std::max(counts.max_conflict, cost.max_conflict);
    sectors_or_wavefronts = cost.wavefronts;
  } else {
    sectors_or_wavefronts = count_sectors(request);
    counts.sectors += sectors_or_wavefronts;
    counts.touched += distinct_bytes(request);
    counts.ideal_sectors += (uint64_t{active} * request.bytes + 31) / 32;
    if (request.operation == Operation::atomic) // turns at one address remain, wherever it is
      counts.ideal_sectors += sectors_or_wavefronts - distinct_sectors(request, request.active);
  }
  if (sectors_or_wavefronts > counted.worst.cost)
    counted.worst = sample(request, sectors_or_wavefronts);
  if (request.operation != Operation::atomic)
    return;
  const unsigned together = most_at_one_address(request);
  counts.max_same_address = std::max(counts.max_same_address, together);
  counted.several_addresses |= request.sort < AtomicSort::combines || together < active;
}

AccessCounts Counters::combined(AccessCounts counts) {
  if (counts.sectors > 0)
    counts.sectors = counts.ideal_sectors = counts.requests;
  if (counts.wavefronts > 0)
    counts.wavefronts = counts.ideal_wavefronts = counts.requests;
  counts.max_conflict = std::min(counts.max_conflict, 1u);
  return counts;
}

void Counters::Counted::add(const Counted &other) {
  counts.add(other.counts);
  several_addresses |= other.several_addresses;
  if (other.worst.cost > worst.cost)
    worst = other.worst;
}

void Counters::BasicBlock::add(const BasicBlock &other) {
  executions += other.executions;
  lanes += other.lanes;
  divergent += other.divergent;
}

void Counters::basic_block(ObservedBlock &, uint32_t pc, uint32_t active, uint32_t members) {
  BasicBlock &counted = basic_blocks_[pc];
  ++counted.executions;
  counted.lanes += static_cast<unsigned>(__builtin_popcount(active));
  counted.divergent += active != members;
}

} // namespace emu
