#include "hazard_list.hpp"

#include <algorithm>

namespace emu {

namespace {

constexpr size_t most = 1000; // different ones; more help nobody

// Whether two sides are the same instruction, or the same line where the engine knows no more.
bool same_place(const Side &a, const Side &b) { return a.pc == b.pc && a.site.line == b.site.line; }

} // namespace

void HazardList::add(const FoundHazard &hazard,
                     const std::string &kernel,
                     const std::string &part) {
  for (Seen &seen : seen_)
    if (seen.kind == hazard.kind && seen.kernel == kernel && seen.part == part &&
        same_place(seen.found.here, hazard.here) && same_place(seen.found.other, hazard.other)) {
      ++seen.count;
      return;
    }
  if (seen_.size() < most)
    seen_.push_back({hazard.kind, kernel, part, hazard.message, hazard, 1});
}

// A race lets a thread read before another has written, and now and then lets two threads write the
// same value by chance: the race is what to mend.
bool HazardList::follows(const Seen &seen) const {
  const auto is_its_race = [&](const Seen &other) {
    if ((other.kind != "shared_race" && other.kind != "global_race") ||
        other.kernel != seen.kernel || other.part != seen.part)
      return false;
    const Side &here = seen.found.here;
    return same_place(other.found.here, here) || same_place(other.found.other, here);
  };
  return (seen.kind == "uninitialised" || seen.kind == "same_value_race") &&
         std::any_of(seen_.begin(), seen_.end(), is_its_race);
}

void HazardList::report(ReportBuilder &builder) const {
  for (const Seen &seen : seen_)
    if (!follows(seen))
      builder.add_hazard(
          {seen.kind, seen.found.warning, seen.kernel, seen.part, {}, {}, seen.message, seen.count},
          seen.found);
}

} // namespace emu
