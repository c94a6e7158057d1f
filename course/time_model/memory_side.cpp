#include "memory_side.hpp"

#include <algorithm>

namespace model {

MemorySide::MemorySide(const LaunchTrace &launch,
                       const Device &device,
                       const Traffic &traffic,
                       Simulated &result)
    : d_(device), traffic_(traffic), result_(result) {
  const size_t shared = launch.function.static_shared + launch.dynamic_shared;
  const uint64_t blocks = launch.grid.count();
  const int at_once = std::max(1, blocks_per_sm(launch, d_));
  const double active_sms =
      static_cast<double>(std::min<uint64_t>(blocks, static_cast<uint64_t>(d_.sms)));
  const double l1 =
      d_.l1_kib * 1024 - static_cast<double>(shared + d_.limits.shared_reserved) * at_once;
  l1_sectors_ = static_cast<uint64_t>(std::max(l1, 16.0 * 1024) / 32 / at_once);
  const double gbps_of_sm = d_.read_gbps / d_.clock_ghz / active_sms; // bytes per cycle
  read_cycles_ = 32 / gbps_of_sm * traffic.dram_slower;
  const double write_gbps = 1 / (2 / d_.copy_gbps - 1 / d_.read_gbps);
  write_cycles_ = 32 / (write_gbps / d_.clock_ghz / active_sms);
  l2_cycles_ = 32 / std::min(64.0, d_.l2_bytes_per_cycle / active_sms);
  turn_cycles_ = active_sms / d_.l2_turns_per_cycle();
  partial_cycles_ = std::max(l2_cycles_, d_.partial_sector * active_sms / d_.sms);
  fill_cycles_ = active_sms * d_.clock_ghz * d_.fill_ns;
  fills_per_rate_ = active_sms * d_.clock_ghz / d_.all_filled_per_ns * traffic_.written_to_dram *
                    traffic_.stored_apart;
  atomic_cycles_per_ns_ = active_sms * d_.clock_ghz / traffic_.atomic_homes;
}

MemorySide::Loaded MemorySide::load(
    BlockCache &cache, const BlockTrace &block, const Step &step, const Lowered &l, double begin) {
  int missed_lines = 0, missed = 0, pieces = 0, far = 0, fresh_sectors = 0;
  uint64_t last_piece = 0;
  double on_its_way = 0;
  std::vector<Cached *> &filled = filled_;
  filled.clear();
  for (uint32_t s = step.first; s < step.first + step.sectors; ++s) {
    const uint64_t sector = block.sectors[s];
    if (!l.past_l1) {
      const auto [known, fresh] = cache.l1.try_emplace(sector);
      const bool hit = !fresh && cache.fills - known->second.used < l1_sectors_;
      known->second.used = cache.fills;
      if (hit) {
        on_its_way = std::max(on_its_way, known->second.arrives);
        continue;
      }
      ++cache.fills;
      filled.push_back(&known->second);
    }
    missed_lines += pieces == 0 || sector / 4 != last_piece / 2;
    pieces += pieces == 0 || sector / 2 != last_piece;
    last_piece = sector / 2;
    ++missed;
    fresh_sectors += cache.fetched.insert(sector).second;
    far += cache.pairs.insert(sector / 2).second; // memory sends 64 bytes
  }
  if (missed_lines == 0)
    return {
        std::max(on_its_way,
                 begin + std::max<double>(step.l1_turns, step.sectors / 4.0) - 1 + d_.latency_l1),
        0};
  const double from = std::max(begin, l2_free);
  // In a turn a slice of the L2 hands out 64 bytes, or part of them.
  keep_l2(missed * l2_cycles_, pieces * turn_cycles_, begin, step.weight);
  const double dram = fresh_sectors * read_cycles_ * traffic_.read_from_dram;
  const double dram_from = std::max(from, dram_free);
  sectors_ += fresh_sectors * std::min(1.0, traffic_.read_from_dram);
  if (dram > 0) {
    dram_free = dram_from + dram;
    dram_work_ += dram;
  }
  result_.dram += dram * step.weight;
  result_.dram_bytes += 32.0 * fresh_sectors * traffic_.read_from_dram * step.weight;
  const double share = far > 0 ? std::min(1.0, traffic_.read_from_dram) : 0;
  const double latency = share * d_.latency_dram + (1 - share) * d_.latency_l2;
  // The memory serves requests of all SMs in bursts: they queue before it is busy all the time.
  const double busy = std::min(0.995, dram_free > 0 ? dram_work_ / std::max(dram_free, from) : 0);
  const double queue = share * d_.memory_queue * busy / (1 - busy);
  const double arrives = std::max(l2_free, share > 0 ? dram_free : 0) + latency + queue;
  for (Cached *sector : filled)
    sector->arrives = arrives;
  return {std::max(arrives, on_its_way), missed_lines};
}

void MemorySide::keep_l2(double way, double slices, double begin, double weight) {
  way_free_ = std::max(begin, way_free_) + way;
  slices_free_ = std::max(begin, slices_free_) + slices;
  l2_free = std::max(way_free_, slices_free_);
  way_work_ += way * weight;
  slices_work_ += slices * weight;
  result_.l2 = std::max(way_work_, slices_work_);
}

double MemorySide::take_l2(const Step &step, double sectors, double begin) {
  // Of a sector that is stored in part, a half is for its piece, whose other sector costs no more than the other
  // half: stores of a word to each of many sectors, side by side and alone, tell that on an H200.
  const double in_part = (sectors - step.whole + step.pieces_in_part) / 2;
  const double cycles = step.whole * l2_cycles_ + in_part * partial_cycles_;
  const double from = std::max(begin, l2_free);
  keep_l2(cycles, cycles, begin, step.weight);
  return from;
}

void MemorySide::store_local(const Step &step, double begin) {
  take_l2(step, step.local_sectors, begin);
}

double MemorySide::fills(BlockCache &cache,
                         const BlockTrace &block,
                         const SmWarp &warp,
                         const Step &step,
                         double begin) {
  if (step.whole == step.sectors) {
    sectors_ += step.sectors;
    return 0;
  }
  size_t lines = cache.shared_lines.size();
  for (uint32_t s = step.first; s < step.first + step.sectors; ++s) {
    const uint64_t sector = block.sectors[s];
    const auto [known, fresh] = cache.in_part.try_emplace(sector, warp.id());
    sectors_ += fresh;
    if (warp.alone && known->second != warp.id())
      cache.shared_lines.insert(sector / 4);
  }
  lines = cache.shared_lines.size() - lines;
  return static_cast<double>(lines) * std::min(1.0, fills_per_rate_ * sectors_ / begin);
}

void MemorySide::store(BlockCache &cache,
                       const BlockTrace &block,
                       const SmWarp &warp,
                       const Step &step,
                       const Lowered &l,
                       double begin) {
  const double from = take_l2(step, step.sectors, begin);
  keep_l2(0, fills(cache, block, warp, step, begin) * fill_cycles_, begin, step.weight);
  // Sectors stored in part are put together in the L2, and written once.
  const double bytes = static_cast<double>(l.amount) * step.active;
  const double sectors = std::min<double>(step.sectors, bytes / 32);
  const double dram = sectors * write_cycles_ * traffic_.written_to_dram;
  dram_free = std::max(from, dram_free) + dram;
  dram_work_ += dram;
  result_.dram += dram * step.weight;
  result_.dram_bytes += 32 * sectors * traffic_.written_to_dram * step.weight;
}

} // namespace model
