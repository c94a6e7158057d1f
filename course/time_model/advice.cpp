#include "predict.hpp"

#include <algorithm>

namespace model {
namespace {

using Change = void (*)(LaunchTrace &, Step &, const Lowered &);

bool is_global(const Step &step) { return step.sectors > 0; }

void coalesce(LaunchTrace &, Step &step, const Lowered &l) {
  if (!is_global(step))
    return;
  const int ideal = std::max(1, (step.active * l.amount + 31) / 32);
  step.sectors = static_cast<uint16_t>(std::min<int>(step.sectors, ideal));
  step.lines = static_cast<uint16_t>(std::min<int>(step.lines, (ideal + 3) / 4));
  step.l1_turns = std::min(step.l1_turns, step.lines);
}

void spread_banks(LaunchTrace &, Step &step, const Lowered &l) {
  if (!is_global(step) && step.wavefronts > 0)
    step.wavefronts = static_cast<uint16_t>(
        std::min<int>(step.wavefronts, std::max(1, (step.active * l.amount + 127) / 128)));
}

void spread_atomics(LaunchTrace &, Step &step, const Lowered &l) {
  if (is_global(step) && (l.action == Action::atomic || l.action == Action::reduce))
    step.wavefronts = 1;
}

const struct {
  const char *phrase;
  Change change;
} changes[] = {
    {"if each warp read and wrote neighbouring addresses", coalesce},
    {"without conflicts of shared memory's banks", spread_banks},
    {"if atomics of a warp went to one address as one", spread_atomics},
};

/// False where there is nothing to change.
bool applies(LaunchTrace &launch, Change change) {
  bool any = false;
  for (BlockTrace &block : launch.blocks)
    for (auto &warp : block.warps)
      for (Step &step : warp) {
        const Step before = step;
        change(launch, step, launch.function.code[step.pc]);
        any = any || step != before;
      }
  return any;
}

bool lose_barriers(LaunchTrace &launch) {
  bool any = false;
  for (Lowered &l : launch.function.code)
    if (l.action == Action::barrier) {
      l.action = Action::sync_warp;
      any = true;
    }
  return any;
}

bool gain_warps(LaunchTrace &launch, const Device &device) {
  const auto blocks = [&] { return blocks_per_sm(launch, device); };
  const int before = blocks();
  launch.function.registers = std::min(launch.function.registers, 32);
  launch.function.static_shared = launch.dynamic_shared = 0;
  return blocks() > before;
}

} // namespace

Advice what_helps_most(const LaunchTrace &launch, const Device &device, L2State l2, double ms_now) {
  constexpr double worth_telling = 0.9;
  // The launch itself, which no change of the kernel makes shorter.
  const double launching = std::max(0.0, ms_now - predict_launch(launch, device, l2).ms);
  Advice best{"", worth_telling * ms_now};
  const auto consider = [&](const char *phrase, const LaunchTrace &with) {
    const Prediction p = predict_launch(with, device, l2);
    if (p.refused.empty() && p.ms + launching < best.ms)
      best = {phrase, p.ms + launching};
  };
  for (const auto &[phrase, change] : changes)
    if (LaunchTrace with = launch; applies(with, change))
      consider(phrase, with);
  if (LaunchTrace with = launch; lose_barriers(with))
    consider("without its barriers", with);
  if (LaunchTrace with = launch; gain_warps(with, device))
    consider("with as many warps on an SM as it holds (fewer registers, less shared memory)", with);
  return best.change.empty() ? Advice{} : best;
}

} // namespace model
