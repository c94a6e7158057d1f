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

} // namespace

int look_for_hazards(const LadderCore &core, const Options &options) {
  int runs = 0, traps = 0, faults = 0;
  for (const Entry *entry : select_entries(core, options)) {
    if (entry->kind != Kind::step)
      continue;
    for (const Case &c : small_cases(core, *entry, options)) {
      const auto found = kinds(observed(core, *entry, c), false);
      ++runs;
      if (found.empty())
        continue;
      ++faults;
      std::printf("%s: %s at n = %s\n",
                  entry->name.c_str(),
                  joined(found).c_str(),
                  place_text(c.n, c.shape).c_str());
    }
  }
  for (const Entry &entry : core.entries) {
    if (entry.kind != Kind::trap)
      continue;
#ifdef __clang__
    if (entry.hazard == "misaligned") {
      std::printf("%s: left out, clang does not tell how a structure is aligned\n",
                  entry.name.c_str());
      continue;
    }
#endif
    ++traps;
    const auto seen = observed(core, entry, entry.exposed_by);
    const bool right = entry.hazard.empty() ? kinds(seen, false).empty()
                                            : seen && seen->find(entry.hazard) != nullptr;
    if (right)
      continue;
    ++faults;
    std::printf("%s: says .hazard(\"%s\"), and what was found is: %s\n",
                entry.name.c_str(),
                entry.hazard.c_str(),
                joined(kinds(seen, true)).c_str());
  }
  std::printf(
      "%s: %d runs of steps, which must have no hazard, and %d traps, which must have the one "
      "that they declare; wrong: %d\n",
      core.chapter.c_str(),
      runs,
      traps,
      faults);
  return faults == 0 ? 0 : 1;
}

} // namespace lab::detail
