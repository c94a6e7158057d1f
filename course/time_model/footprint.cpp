#include "footprint.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace model {
namespace {

using Sectors = std::unordered_map<uint64_t, double>; // and how many each stands for

/// Of one block: what it touches, and how much that is with the iterations that were skipped.
struct BlockFootprint {
  Sectors read, written;
  double read_sectors = 0, written_sectors = 0;
  double scattered_sectors = 0; // loaded, see Scattered
};

bool reads(Action action) { return action == Action::load || action == Action::copy_async; }

BlockFootprint footprint_of(const BlockTrace &block,
                            const std::vector<Lowered> &code,
                            const std::set<uint32_t> &scattered) {
  BlockFootprint result;
  for (const auto &warp : block.warps)
    for (const Step &step : warp) {
      const Action action = code[step.pc].action;
      const bool stores = action == Action::store;
      if (step.sectors == 0 || (!stores && !reads(action)))
        continue;
      if (!stores && scattered.count(step.pc)) {
        result.scattered_sectors += static_cast<double>(step.weight) * step.sectors;
        continue;
      }
      Sectors &seen = stores ? result.written : result.read;
      double &sum = stores ? result.written_sectors : result.read_sectors;
      for (uint32_t s = step.first; s < step.first + step.sectors; ++s)
        if (seen.try_emplace(block.sectors[s], step.weight).second)
          sum += static_cast<double>(step.weight);
    }
  return result;
}

/// Loads to places that data tell (a gather). What a few blocks have in common says nothing of how often the
/// others come to the same places: where each block's lie all over the same region, that region is all there is.
struct Scattered {
  std::set<uint32_t> loads; // instructions
  double region_sectors = 0;
};

/// Whether gaps between places are of many kinds, none of which is the rule, as no loop makes them.
bool is_irregular(const std::set<uint64_t> &places) {
  std::unordered_map<uint64_t, size_t> gaps;
  size_t most = 0;
  for (auto at = places.begin(); at != places.end(); ++at)
    if (at != places.begin())
      most = std::max(most, ++gaps[*at - *std::prev(at)]);
  return gaps.size() > 16 && most < places.size() / 2;
}

Scattered scattered_loads(const LaunchTrace &launch) {
  struct Range {
    uint64_t first = 0, last = 0;
    bool irregular = false;
    uint64_t sectors() const { return last - first + 1; }
  };
  std::map<uint32_t, std::vector<Range>> ranges; // of each block
  for (const BlockTrace &block : launch.blocks) {
    std::map<uint32_t, std::set<uint64_t>> places;
    for (const auto &warp : block.warps)
      for (const Step &step : warp)
        if (step.sectors > 0 && reads(launch.function.code[step.pc].action))
          places[step.pc].insert(block.sectors.begin() + step.first,
                                 block.sectors.begin() + step.first + step.sectors);
    for (const auto &[pc, of_block] : places)
      ranges[pc].push_back({*of_block.begin(), *of_block.rbegin(), is_irregular(of_block)});
  }
  Scattered result;
  std::map<uint64_t, uint64_t> regions; // end by begin
  for (const auto &[pc, of_blocks] : ranges) {
    Range all = of_blocks[0];
    bool scattered = of_blocks.size() > 1;
    for (const Range &r : of_blocks) {
      all.first = std::min(all.first, r.first);
      all.last = std::max(all.last, r.last);
    }
    for (const Range &r : of_blocks)
      scattered = scattered && r.irregular && 2 * r.sectors() > all.sectors();
    if (!scattered)
      continue;
    result.loads.insert(pc);
    uint64_t &end = regions[all.first];
    end = std::max(end, all.last + 1);
  }
  uint64_t counted = 0; // up to here
  for (const auto &[begin, end] : regions)
    if (end > counted) {
      result.region_sectors += static_cast<double>(end - std::max(begin, counted));
      counted = end;
    }
  return result;
}

/// The part of `a` that is also in `b`.
double shared_part(const Sectors &a, const Sectors &b) {
  if (a.empty())
    return 0;
  double both = 0, all = 0;
  for (const auto &[sector, weight] : a) {
    all += weight;
    both += b.count(sector) ? weight : 0;
  }
  return both / all;
}

/// What blocks of a grid have in common with all, with those of their row, with those of their column.
struct Sharing {
  double all = 0, row = 0, column = 0;

  /// How many blocks' worth of different sectors `cols` x `rows` blocks touch.
  double different(double cols, double rows) const {
    const double own = std::max(0.0, 1 - all - row - column);
    return own * cols * rows + row * rows + column * cols + all;
  }
};

class Sampled {
public:
  Sampled(const LaunchTrace &launch, bool stores, const std::set<uint32_t> &scattered)
      : launch_(launch), stores_(stores) {
    for (const BlockTrace &b : launch.blocks)
      blocks_[b.block] = footprint_of(b, launch.function.code, scattered);
  }
  double scattered_per_block() const {
    double sum = 0;
    for (const auto &[number, b] : blocks_)
      sum += b.scattered_sectors;
    return sum / static_cast<double>(blocks_.size());
  }

  const Sectors &of(uint64_t block) const {
    static const Sectors none;
    const auto found = blocks_.find(block);
    return found == blocks_.end() ? none : stores_ ? found->second.written : found->second.read;
  }
  double sectors_per_block() const {
    double sum = 0;
    for (const auto &[number, b] : blocks_)
      sum += stores_ ? b.written_sectors : b.read_sectors;
    return sum / static_cast<double>(blocks_.size());
  }
  Sharing sharing() const {
    Sharing s;
    const Extent &g = launch_.grid;
    const uint64_t all = g.count();
    if (all < 5)
      return s;
    const uint64_t middle = middle_block();
    const Sectors &here = of(middle);
    s.all = shared_part(here, of(0));
    const double row = shared_part(here, of(middle + 1 < all ? middle + 1 : middle - 1));
    s.row = g.y > 1 ? std::max(0.0, row - s.all) : 0;
    if (g.y > 1)
      s.column = std::max(
          0.0, shared_part(here, of(middle + g.x < all ? middle + g.x : middle - g.x)) - s.all);
    return s;
  }

  /// Whether the block that follows the one in the middle touches none of its lines, nor one beside.
  bool next_is_apart() const {
    const uint64_t middle = middle_block();
    std::set<uint64_t> lines;
    for (const auto &[sector, weight] : of(middle))
      lines.insert({sector / 4 - 1, sector / 4, sector / 4 + 1});
    const Sectors &next = of(middle + 1);
    return !next.empty() && std::none_of(next.begin(), next.end(), [&](const auto &sector) {
      return lines.count(sector.first / 4) > 0;
    });
  }

private:
  uint64_t middle_block() const {
    const Extent &g = launch_.grid;
    return g.count() / g.x / 2 * g.x + g.x / 2;
  }

  const LaunchTrace &launch_;
  bool stores_;
  std::unordered_map<uint64_t, BlockFootprint> blocks_;
};

/// A number for the slice of the L2 where a sector is at home: of each KiB, pieces of 256 bytes lie in two by
/// turns. Atomics of warps to places so far apart tell it on an H200.
uint64_t home_of(uint64_t sector) { return sector / 32 * 2 + sector / 8 % 2; }

/// Places of atomics, and how long each is at work for the followed blocks.
class AtomicPlaces {
public:
  void add(uint64_t place, uint64_t block, double ns) {
    Place &here = places_[place];
    here.ns += ns;
    here.blocks += here.blocks == 0 || block > here.last_block + 1;
    here.last_block = block;
  }
  /// What only one of the blocks uses, or one and its neighbour, is their own, and the other blocks of the grid
  /// have others.
  double hottest_ns(const LaunchTrace &launch) const {
    const double part =
        static_cast<double>(launch.blocks.size()) / static_cast<double>(launch.grid.count());
    double hottest = 0;
    for (const auto &[number, place] : places_)
      hottest = std::max(hottest, place.ns * (place.blocks > 1 ? 1 : part));
    return hottest;
  }

private:
  struct Place {
    double ns = 0;
    uint64_t last_block = 0;
    int blocks = 0;
  };
  std::unordered_map<uint64_t, Place> places_;
};

/// How many homes of atomics are at work at a time. In each, sectors take turns; floats that are added in one sector
/// wait for each other longer than their turns take.
double atomic_homes(const LaunchTrace &launch, const Device &d) {
  const double slices = d.l2_bytes_per_cycle / 64;
  AtomicPlaces homes, sums;
  double all = 0;
  for (const BlockTrace &block : launch.blocks)
    for (const auto &warp : block.warps)
      for (const Step &step : warp) {
        const Lowered &l = launch.function.code[step.pc];
        if (step.sectors == 0 || (l.action != Action::atomic && l.action != Action::reduce))
          continue;
        const double ns = step.weight * d.atomic_ns(step.wavefronts, step.whole);
        const double sum_ns = step.weight * step.wavefronts / d.float_atomics_per_ns;
        all += ns;
        for (uint32_t s = step.first; s < step.first + step.sectors; ++s) {
          homes.add(home_of(block.sectors[s]), block.block, ns / step.sectors);
          if (l.adds_floats)
            sums.add(block.sectors[s], block.block, sum_ns / step.sectors);
        }
      }
  const double hottest = std::max(homes.hottest_ns(launch), sums.hottest_ns(launch));
  return hottest > 0 ? std::min(slices, all / hottest) : 1;
}

} // namespace

std::vector<TouchedBytes> touched_bytes(const LaunchTrace &launch) {
  std::vector<TouchedBytes> result(launch.touched.size());
  const double blocks_of_each =
      static_cast<double>(launch.grid.count()) / static_cast<double>(launch.blocks.size());
  for (const BlockTrace &block : launch.blocks) {
    const BlockFootprint f = footprint_of(block, launch.function.code, {});
    for (size_t i = 0; i < launch.touched.size(); ++i) {
      const Touched &t = launch.touched[i];
      TouchedBytes &sum = result[i];
      const auto add = [&](const Sectors &sectors, double &bytes) {
        for (const auto &[sector, weight] : sectors)
          if (sector * 32 + 31 >= t.begin && sector * 32 < t.end) {
            bytes += 32 * weight * blocks_of_each;
            sum.first = sum.first == 0 ? sector * 32 : std::min(sum.first, sector * 32);
          }
      };
      add(f.read, sum.read);
      add(f.written, sum.written);
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    TouchedBytes &sum = result[i];
    sum.first = std::max(sum.first, launch.touched[i].begin);
    const auto most = static_cast<double>(launch.touched[i].end - sum.first);
    sum.read = std::min(sum.read, most);
    sum.written = std::min(sum.written, most);
  }
  return result;
}

Footprint footprint(const LaunchTrace &launch, const Device &d, int blocks_per_sm, bool warm) {
  constexpr double left_dirty = 0.25; // of the L2
  constexpr double l2_of_a_side = 0.5; // both halves of the L2 keep what SMs of both sides read
  Footprint result;
  const Scattered scattered = scattered_loads(launch);
  const Sampled loads(launch, false, scattered.loads), stores(launch, true, {});
  const Sharing read = loads.sharing(), written = stores.sharing();
  const double blocks = static_cast<double>(launch.grid.count());
  const double cols = launch.grid.x, rows = blocks / cols;
  double allocated = 0;
  for (const Touched &t : launch.touched)
    allocated += static_cast<double>(t.end - t.begin);
  result.read_bytes =
      std::min(32 * loads.sectors_per_block() * read.different(cols, rows), allocated);
  const double touches = loads.scattered_per_block() * blocks; // at random, of the region's sectors
  const double region = 32 * scattered.region_sectors;
  if (region > 0)
    result.read_bytes += region * (1 - std::exp(-32 * touches / region));
  result.written_bytes =
      std::min(32 * stores.sectors_per_block() * written.different(cols, rows), allocated);

  const double l2 = d.l2_mib * 1048576;
  const double at_once = std::min(blocks, static_cast<double>(d.sms) * blocks_per_sm);
  double from_memory = result.read_bytes;
  const double footprint_bytes = result.read_bytes + result.written_bytes;
  const double overflow =
      footprint_bytes / (l2_of_a_side * l2) - 1; // at 1 even one copy does not fit
  if (overflow < 1) {
    from_memory = warm ? result.read_bytes * std::max(0.0, overflow) : result.read_bytes;
  } else if (at_once <
             blocks) { // what a wave of blocks leaves in the L2, the next one may not find
    const double wave_cols = std::min(cols, at_once), wave_rows = std::max(1.0, at_once / cols);
    const double of_wave = 32 * loads.sectors_per_block() * read.different(wave_cols, wave_rows);
    from_memory = std::max(from_memory, of_wave * blocks / at_once);
  }
  if (from_memory > 0 && region > l2_of_a_side * l2) // of 64 bytes that memory sends, it wants 32
    from_memory += 2 * 32 * touches * (1 - l2_of_a_side * l2 / region);
  const double requested = 32 * (loads.sectors_per_block() * blocks + touches);
  result.traffic.read_from_dram = requested > 0 ? from_memory / requested : 0;
  const double scattered_part = requested > 0 ? 32 * touches / requested : 0;
  result.traffic.dram_slower = 1 + scattered_part * (1 / d.scattered_share - 1);
  result.traffic.written_to_dram =
      result.written_bytes < left_dirty * l2 ? 0 : 1 - 0.5 * left_dirty * l2 / result.written_bytes;
  result.traffic.atomic_homes = atomic_homes(launch, d);
  result.traffic.stored_apart = stores.next_is_apart();
  return result;
}

} // namespace model
