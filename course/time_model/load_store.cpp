#include "load_store.hpp"

#include <algorithm>

namespace model {
namespace {

constexpr double queue_before_stall =
    300; // cycles that memory instructions may wait ahead of their unit

} // namespace

void LoadStore::shuffle(SmWarp &w, const Step &step, const Lowered &l, double at) {
  const double begin = std::max(at, free_);
  free_ = begin + l.slots;
  result_.l1 += l.slots * step.weight;
  w.write(l, {begin + d_.latency_shuffle, Source::nearby});
}

void LoadStore::access(SmWarp &w,
                       BlockCache &cache,
                       const BlockTrace &block,
                       const Step &step,
                       const Lowered &l,
                       double at) {
  const double begin = std::max(at, free_);
  if (step.active ==
      0) { // the predicate holds for no lane: the request takes its turn all the same
    free_ = begin + 1;
    w.write(l, {at + d_.latency_alu, Source::arithmetic});
    return;
  }
  if (step.local_sectors > 0)
    return access_local(w, step, l, begin);
  if (step.sectors == 0)
    return access_shared(w, step, l, begin);
  const bool loads = l.action == Action::load || l.action == Action::copy_async;
  const MemorySide::Loaded loaded =
      loads ? memory_.load(cache, block, step, l, begin) : MemorySide::Loaded();
  const double turns = loads ? std::max<double>(step.l1_turns, loaded.missed_lines) : step.lines;
  const double cycles = std::max(turns, step.sectors / 4.0);
  free_ = begin + cycles;
  result_.l1 += cycles * step.weight;
  if (l.action == Action::load) {
    w.write(l, {loaded.arrives, Source::memory});
  } else if (l.action == Action::copy_async) {
    const double arrives = loaded.arrives + d_.latency_shared;
    free_ += step.wavefronts;
    result_.shared += step.wavefronts * step.weight;
    w.copy_arrives(arrives);
    w.write(l, {arrives, Source::memory});
  } else if (l.action == Action::store) {
    memory_.store(cache, block, w, step, l, begin);
  } else {
    atomic(w, step, l, begin);
  }
  stall(w,
        std::max(begin, std::max(memory_.l2_free, memory_.dram_free) - 2 * queue_before_stall),
        step);
}

/// What a thread keeps in memory is in the L1, which hands on what is stored.
void LoadStore::access_local(SmWarp &w, const Step &step, const Lowered &l, double begin) {
  const bool loads = l.action == Action::load;
  const double turns =
      std::max<double>(loads ? step.l1_turns : step.lines, step.local_sectors / 4.0);
  free_ = begin + turns;
  result_.l1 += turns * step.weight;
  if (loads)
    w.write(l, {begin + turns - 1 + d_.latency_l1, Source::memory});
  else
    memory_.store_local(step, begin);
  stall(w, std::max(begin, memory_.l2_free - 2 * queue_before_stall), step);
}

void LoadStore::access_shared(SmWarp &w, const Step &step, const Lowered &l, double begin) {
  const double wavefronts = step.wavefronts / d_.shared_wavefronts_per_cycle;
  free_ = begin + wavefronts;
  result_.shared += wavefronts * step.weight;
  w.write(l, {begin + wavefronts - 1 + d_.latency_shared, Source::nearby});
  stall(w, begin, step);
}

void LoadStore::atomic(SmWarp &w, const Step &step, const Lowered &l, double begin) {
  const double from = std::max(begin, memory_.atomic_free);
  const double cycles = memory_.atomic_cycles(step);
  memory_.atomic_free = from + cycles;
  result_.atomics += cycles * step.weight;
  w.write(l, {memory_.atomic_free + d_.latency_l2, Source::memory});
  stall(w, from, step);
}

void LoadStore::stall(SmWarp &w, double served, const Step &step) {
  if (const double until = served - queue_before_stall; until > w.time) {
    result_.waits.memory_queue += (until - w.time) * step.weight;
    w.time = until;
  }
}

double LoadStore::done(double end) const {
  return std::max({end, std::min(memory_.dram_free, end + d_.latency_dram), memory_.atomic_free});
}

} // namespace model
