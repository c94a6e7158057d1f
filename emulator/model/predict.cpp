#include "predict.hpp"

#include "footprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace model {
namespace {

struct Term {
  const char *key, *phrase;
  double Simulated::*cycles;
};
const Term unit_terms[] = {
    {"memory", "memory", &Simulated::dram},
    {"l2", "the way to the L2", &Simulated::l2},
    {"l1", "the L1", &Simulated::l1},
    {"shared", "shared memory's banks", &Simulated::shared},
    {"issue", "issue slots", &Simulated::issue},
    {"fma", "multiply-adds", &Simulated::fma},
    {"alu", "integer arithmetic", &Simulated::alu},
    {"fp64", "arithmetic in double precision", &Simulated::fp64},
    {"special", "the special function units", &Simulated::special},
    {"atomics", "atomics at one address", &Simulated::atomics},
};
struct WaitTerm {
  const char *key, *phrase;
  double Waits::*cycles;
};
const WaitTerm wait_terms[] = {
    {"latency", "waits for memory", &Waits::long_latency},
    {"shared_latency", "waits for shared memory", &Waits::short_latency},
    {"barriers", "waits for barriers", &Waits::barrier},
    {"dependence", "waits for the instruction before", &Waits::arithmetic},
    {"queues", "waits for queues to the memory", &Waits::memory_queue},
    {"units", "waits for a free unit", &Waits::unit},
};

constexpr double unit_binds = 0.75; // a unit at work for so much of the time
constexpr double band =
    1.35; // the error of nine in ten of the course's steps; see docs/time_model.md

std::string percent_phrase(const char *phrase, double share) {
  char text[160];
  std::snprintf(
      text, sizeof text, "%s: %.0f %% of the ceiling", phrase, 100 * std::min(1.0, share));
  return text;
}

void name_what_binds(Prediction &p, const Simulated &s) {
  const Term *busiest = nullptr;
  for (const Term &term : unit_terms)
    if (busiest == nullptr || s.*term.cycles > s.*(busiest->cycles))
      busiest = &term;
  if (busiest && s.*(busiest->cycles) > unit_binds * s.cycles) {
    p.term = busiest->key;
    p.binds = percent_phrase(busiest->phrase, s.*(busiest->cycles) / s.cycles);
    return;
  }
  const WaitTerm *longest = &wait_terms[0];
  for (const WaitTerm &term : wait_terms)
    if (s.waits.*term.cycles > s.waits.*(longest->cycles))
      longest = &term;
  p.term = longest->key;
  p.binds = longest->phrase;
}

void add(Simulated &sum, const Simulated &s, double times) {
  sum.cycles += times * s.cycles;
  for (const Term &term : unit_terms)
    sum.*term.cycles += times * (s.*term.cycles);
  for (const WaitTerm &term : wait_terms)
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
  for (const Term &term : unit_terms)
    p.terms[term.key] = p.simulated.*term.cycles * ms_of_cycle;
  const double waits = p.simulated.waits.issue + p.simulated.waits.long_latency +
                       p.simulated.waits.short_latency + p.simulated.waits.barrier +
                       p.simulated.waits.arithmetic + p.simulated.waits.memory_queue +
                       p.simulated.waits.unit;
  for (const WaitTerm &term : wait_terms) // the part of a warp's time, of the time
    p.terms[term.key] =
        waits > 0 ? p.simulated.waits.*term.cycles / waits * p.simulated.cycles * ms_of_cycle : 0;
  if (overhead_ms > 0.5 * p.ms) {
    p.term = "launch";
    p.binds = "the launch itself";
  }
}

} // namespace

Prediction predict_launch(const LaunchTrace &launch, const Device &d, L2State l2) {
  Prediction p;
  p.refused = launch.refused;
  if (p.refused.empty() && launch.blocks.empty())
    p.refused = "no block of it was followed";
  const size_t shared = launch.function.static_shared + launch.dynamic_shared;
  p.registers = launch.function.registers;
  p.blocks_per_sm = resident(d.limits, static_cast<int>(launch.block.count()), p.registers, shared);
  if (p.refused.empty() && p.blocks_per_sm == 0)
    p.refused = "a block of it does not fit on an SM of this device";
  if (!p.refused.empty())
    return p;
  uint32_t looking = 0;
  for (const BlockTrace &block : launch.blocks)
    looking = std::max(looking, block.looking);
  if (looking == 1)
    p.refused = "its blocks wait for each other, one behind the other";
  if (!p.refused.empty())
    return p;
  const Footprint f = footprint(launch, d, p.blocks_per_sm, l2 == L2State::warm);
  p.simulated = simulate(launch, d, f.traffic);
  if (looking > 0) // what a block tells comes to so many behind it in one way through the L2
    p.simulated.cycles = std::max(
        p.simulated.cycles, static_cast<double>(launch.grid.count()) * d.latency_l2 / looking);
  finish(p, d, 0);
  return p;
}

Prediction
predict_part(const std::vector<const LaunchTrace *> &launches, const Device &d, L2State l2) {
  Prediction sum;
  double overhead = 0, longest = 0;
  for (const LaunchTrace *launch : launches) {
    const Prediction p = predict_launch(*launch, d, l2);
    if (!p.refused.empty()) {
      sum.refused = launch->kernel + ": " + p.refused;
      return sum;
    }
    const double times = static_cast<double>(launch->launches);
    add(sum.simulated, p.simulated, times);
    overhead += times * d.next_launch_us;
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
    finish(sum,
           d,
           (overhead + d.launch_us - d.next_launch_us +
            (sum.simulated.dram_bytes > 0 ? d.cold_us : 0)) *
               1e-3);
  return sum;
}

} // namespace model
