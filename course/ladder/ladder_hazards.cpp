#include "common/check.hpp"
#include "ladder/detail/ladder_check.hpp"
#include "ladder/observe.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace lab::detail {
namespace {

/// What the instruments saw of one run; what it computed is no concern here.
std::optional<emu::Observation>
observed(const LadderCore &core, const Entry &entry, const Case &c) {
  std::optional<emu::Observation> seen;
  bool stopped = false; // by an error of CUDA's, perhaps because of a hazard
  try {
    ProblemHandle problem(core, c);
    if (core.set_block && c.block > 0)
      core.set_block(problem.get(), c.block);
    seen = observe([&] {
      try {
        (void)run_and_check(core, entry, problem.get());
      } catch (const CudaError &) {
        stopped = true;
      }
      (void)cudaGetLastError();
    });
  } catch (const CudaError &) { // of an allocation or a launch that is refused, or sticky
    stopped = true;
  }
  if (stopped) {
    (void)cudaDeviceReset();
    (void)cudaGetLastError();
  }
  return seen;
}

/// The kinds of what was found, the warnings last.
std::vector<std::string> kinds(const std::optional<emu::Observation> &seen, bool warnings) {
  std::vector<std::string> found;
  for (const emu::Hazard &hazard : seen ? seen->hazards : std::vector<emu::Hazard>{})
    if (warnings || !hazard.warning)
      found.push_back(hazard.kind);
  return found;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

/// Small sizes: where steps go wrong, and where observing takes no time.
std::vector<Case> small_cases(const LadderCore &core, const Entry &entry, const Options &options) {
  std::vector<Case> cases;
  const int block = timed_block(core, entry, options);
  const bool matrices = !core.sizes.shapes.empty();
  for (const std::size_t n : {0, 1, 33, matrices ? 65 : 1025})
    cases.push_back({.n = n, .block = block, .seed = options.seed});
  for (const Shape &shape : core.sizes.shapes)
    if (shape.rows * shape.cols <= 5000)
      cases.push_back({.n = 0, .block = block, .seed = options.seed, .shape = shape});
  return cases;
}

/// What was found, and how much was looked at.
struct Found {
  int runs = 0, traps = 0, faults = 0;
  std::string lines; // about each fault
};

/// A step must have no hazard.
Found look_at_step(const LadderCore &core, const Entry &step, const Options &options) {
  Found found;
  for (const Case &c : small_cases(core, step, options)) {
    const auto hazards = kinds(observed(core, step, c), false);
    ++found.runs;
    if (hazards.empty())
      continue;
    ++found.faults;
    found.lines +=
        step.name + ": " + joined(hazards) + " at n = " + place_text(c.n, c.shape) + "\n";
  }
  return found;
}

/// A trap must have the one that it declares.
Found look_at_trap(const LadderCore &core, const Entry &trap) {
  Found found;
#ifdef __clang__
  if (trap.hazard == "misaligned") {
    found.lines = trap.name + ": left out, clang does not tell how a structure is aligned\n";
    return found;
  }
#endif
  ++found.traps;
  const auto seen = observed(core, trap, trap.exposed_by);
  const bool right = trap.hazard.empty() ? kinds(seen, false).empty()
                                         : seen && seen->find(std::string(trap.hazard)) != nullptr;
  if (right)
    return found;
  ++found.faults;
  found.lines = trap.name + ": says .hazard(\"" + std::string(trap.hazard) +
                "\"), and what was found is: " + joined(kinds(seen, true)) + "\n";
  return found;
}

} // namespace

int look_for_hazards(const LadderCore &core, const Options &options) {
  std::vector<const Entry *> looked_at = select_entries(core, options);
  std::erase_if(looked_at, [](const Entry *entry) { return entry->kind != Kind::step; });
  for (const Entry &entry : core.entries)
    if (entry.kind == Kind::trap)
      looked_at.push_back(&entry);
  const auto told = in_shares(looked_at.size(), [&](emu::Share &share) {
    for (std::size_t i = 0; share.next(i);) {
      const Entry &entry = *looked_at[i];
      const Found found =
          entry.kind == Kind::step ? look_at_step(core, entry, options) : look_at_trap(core, entry);
      share.done(std::to_string(found.runs) + " " + std::to_string(found.traps) + " " +
                 std::to_string(found.faults) + " " + found.lines);
    }
  });
  Found all;
  for (const std::string &text : told) {
    int runs = 0, traps = 0, faults = 0, length = 0;
    std::sscanf(text.c_str(), "%d %d %d %n", &runs, &traps, &faults, &length);
    all.runs += runs;
    all.traps += traps;
    all.faults += faults;
    std::printf("%s", text.substr(static_cast<std::size_t>(length)).c_str());
  }
  std::printf(
      "%s: %d runs of steps, which must have no hazard, and %d traps, which must have the one "
      "that they declare; wrong: %d\n",
      core.chapter.c_str(),
      all.runs,
      all.traps,
      all.faults);
  return all.faults == 0 ? 0 : 1;
}

} // namespace lab::detail
