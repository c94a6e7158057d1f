#include "predict.hpp"

#include "footprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace model {
namespace {

constexpr double unit_binds = 0.75; // a unit at work for so much of the time

std::string percent_phrase(const char *phrase, double share) {
  char text[160];
  std::snprintf(
      text, sizeof text, "%s: %.0f %% of the ceiling", phrase, 100 * std::min(1.0, share));
  return text;
}

void name_what_binds(Prediction &p, const Simulated &s) {
  const Term<Simulated> *busiest = nullptr;
  for (const auto &term : unit_terms)
    if (busiest == nullptr || s.*term.cycles > s.*(busiest->cycles))
      busiest = &term;
  if (busiest && s.*(busiest->cycles) > unit_binds * s.cycles) {
    p.term = busiest->key;
    p.binds = percent_phrase(busiest->phrase, s.*(busiest->cycles) / s.cycles);
    return;
  }
  const Term<Waits> *longest = &wait_terms[0];
  for (const auto &term : wait_terms)
    if (s.waits.*term.cycles > s.waits.*(longest->cycles))
      longest = &term;
  p.term = longest->key;
  p.binds = longest->phrase;
}

void add(Simulated &sum, const Simulated &s, double times) {
  sum.cycles += times * s.cycles;
  for (const auto &term : unit_terms)
    sum.*term.cycles += times * (s.*term.cycles);
  for (const auto &term : wait_terms)
    sum.waits.*term.cycles += times * (s.waits.*term.cycles);
  sum.dram_bytes += times * s.dram_bytes;
}

void finish(Prediction &p, const Device &d, double overhead_ms) {
  const double ms_of_cycle = 1e-6 / d.clock_ghz;
  p.ms = p.simulated.cycles * ms_of_cycle + overhead_ms;
  p.low = p.ms / band;
  p.high = p.ms * band;
  name_what_binds(p, p.simulated);
  p.terms["launch"] = overhead_ms;
  for (const auto &term : unit_terms)
    p.terms[term.key] = p.simulated.*term.cycles * ms_of_cycle;
  double waits = p.simulated.waits.issue;
  for (const auto &term : wait_terms)
    waits += p.simulated.waits.*term.cycles;
  for (const auto &term : wait_terms) // the part of a warp's time, of the time
    p.terms[term.key] =
        waits > 0 ? p.simulated.waits.*term.cycles / waits * p.simulated.cycles * ms_of_cycle : 0;
  if (overhead_ms > 0.5 * p.ms) {
    p.term = "launch";
    p.binds = "the launch itself";
  }
}

struct Lookers {
  uint32_t lanes = 0; // of a block, that look at other blocks at a time
  bool walk = false; // on to the next ones
};

Lookers lookers_of(const LaunchTrace &launch) {
  Lookers most;
  for (const BlockTrace &block : launch.blocks) {
    std::map<uint32_t, uint32_t> of_warp;
    for (const Look &look : block.looks) {
      of_warp[look.warp] = std::max(of_warp[look.warp], look.lanes);
      most.walk = most.walk || look.walks;
    }
    uint32_t lanes = 0;
    for (const auto &[warp, count] : of_warp)
      lanes += count;
    most.lanes = std::max(most.lanes, lanes);
  }
  return most;
}

/// With each look made so many times.
LaunchTrace with_looks(LaunchTrace launch, int times) {
  for (BlockTrace &block : launch.blocks) {
    for (size_t i = block.looks.size();
         i-- > 0;) { // the last one first: the others keep their places
      const Look &look = block.looks[i];
      auto &steps = block.warps[look.warp];
      const std::vector<Step> once(steps.begin() + look.first, steps.begin() + look.last);
      for (int k = 1; k < times; ++k)
        steps.insert(steps.begin() + look.last, once.begin(), once.end());
    }
  }
  return launch;
}

/// Decoupled look-back. What a block tells is seen by others two ways through the L2 later: those of its store
/// and of their load. By then so many more blocks have begun as begin in that time, and a block has to look
/// back past all of them, at `lanes` with each look. The more often it looks the slower blocks follow each
/// other, and the fewer they are: the least number of looks with which that comes out is the steady state.
Simulated simulate_look_back(const LaunchTrace &launch,
                             const Device &d,
                             const Traffic &traffic,
                             uint32_t lanes) {
  constexpr int most_looks = 256;
  const auto blocks = static_cast<double>(launch.grid.count());
  const auto enough = [&](const Simulated &s, int looks) {
    return 2 * d.latency_l2 * blocks / s.cycles <= static_cast<double>(lanes) * looks;
  };
  int too_few = 0, looks = 1;
  Simulated s = simulate(launch, d, traffic);
  while (!enough(s, looks) && looks < most_looks) {
    too_few = looks;
    looks *= 2;
    s = simulate(with_looks(launch, looks), d, traffic);
  }
  while (looks - too_few > 1) {
    const int middle = (looks + too_few) / 2;
    const Simulated t = simulate(with_looks(launch, middle), d, traffic);
    if (enough(t, middle)) {
      looks = middle;
      s = t;
    } else {
      too_few = middle;
    }
  }
  return s;
}

} // namespace

Prediction predict_launch(const LaunchTrace &launch, const Device &d, L2State l2) {
  Prediction p;
  p.refused = launch.refused;
  if (p.refused.empty() && launch.blocks.empty())
    p.refused = "no block of it was followed";
  p.registers = launch.function.registers;
  p.blocks_per_sm = blocks_per_sm(launch, d);
  if (p.refused.empty() && p.blocks_per_sm == 0)
    p.refused = "a block of it does not fit on an SM of this device";
  if (!p.refused.empty())
    return p;
  const Footprint f = footprint(launch, d, p.blocks_per_sm, l2 == L2State::warm);
  p.from_memory = std::min(1.0, f.traffic.read_from_dram);
  const Lookers lookers = lookers_of(launch);
  if (lookers.lanes == 1 && !lookers.walk) {
    p.refused = "its blocks wait for each other, one behind the other";
    return p;
  }
  if (lookers.lanes > 0) {
    p.simulated = simulate_look_back(launch, d, f.traffic, lookers.lanes);
    p.assumes = "flags of other blocks are there when they are looked at";
  } else {
    p.simulated = simulate(launch, d, f.traffic);
  }
  finish(p, d, 0);
  return p;
}

namespace {

/// \param idle_us  that the GPU waits for the host between the first event and the first launch
Prediction predict_launches(const std::vector<const LaunchTrace *> &launches,
                            const Device &d,
                            L2State l2,
                            double idle_us) {
  Prediction sum;
  double overhead = idle_us, longest = 0;
  for (const LaunchTrace *launch : launches) {
    const Prediction p = predict_launch(*launch, d, l2);
    if (!p.refused.empty()) {
      sum.refused = launch->kernel + ": " + p.refused;
      return sum;
    }
    sum.assumes = sum.assumes.empty() ? p.assumes : sum.assumes;
    const double times = static_cast<double>(launch->launches);
    add(sum.simulated, p.simulated, times);
    overhead += times * d.next_launch_us;
    sum.from_memory = std::max(sum.from_memory, p.from_memory);
    if (p.ms > longest) {
      longest = p.ms;
      sum.registers = p.registers;
      sum.blocks_per_sm = p.blocks_per_sm;
      sum.simulated.instructions_per_warp = p.simulated.instructions_per_warp;
    }
  }
  if (launches.empty())
    sum.refused = "it launches no kernel";
  else
    finish(
        sum, d, (overhead + d.launch_us - d.next_launch_us + sum.from_memory * d.cold_us) * 1e-3);
  return sum;
}

} // namespace

Prediction
predict_part(const std::vector<const LaunchTrace *> &launches, const Device &d, L2State l2) {
  return predict_launches(launches, d, l2, 0);
}

Prediction predict_alone(const LaunchTrace &launch, const Device &d) {
  LaunchTrace once = launch;
  once.launches = 1;
  Prediction p = predict_launches({&once}, d, L2State::warm, d.idle_us);
  if (!p.refused.empty()) // without the kernel's name, which is known
    p.refused = predict_launch(once, d, L2State::warm).refused;
  return p;
}

} // namespace model
