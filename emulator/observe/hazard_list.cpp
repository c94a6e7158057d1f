#include "hazard_list.hpp"

#include <algorithm>

namespace emu {

namespace {

constexpr long most = 1000; // different errors, and as many warnings; more help nobody

// Whether two sides are the same instruction, or the same line where the engine knows no more.
bool same_place(const Side &a, const Side &b) { return a.pc == b.pc && a.site.line == b.site.line; }

bool same_index(const dim3 &a, const dim3 &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

bool is_race(const std::string &kind) { return kind == "shared_race" || kind == "global_race"; }

bool is_uneven_barrier(const std::string &kind) {
  return kind == "divergent_barrier" || kind == "exited_at_barrier";
}

} // namespace

void HazardList::Seen::carry(Bytes &bytes) {
  RaceShape &race = found.race;
  bytes(found.kind, found.warning, found.here, found.other, found.message);
  bytes(race.in_one_warp, race.in_cluster, race.both_write, race.of_launch, race.one_value);
  bytes(race.one_is_atomic, race.copy_in_flight, race.in_one_block, race.barriers, race.lacks);
  bytes(race.task_lacks, race.host_writes, race.early_event, race.warps_meet, race.comes_round);
  bytes(race.sync.site, race.sync.mask, race.sync.lane, race.fenced, race.last_barrier, race.later);
  bytes(found.here_did, found.other_did, kernel, part, count);
}

void HazardList::add(const Seen &added) {
  const FoundHazard &hazard = added.found;
  for (Seen &seen : seen_)
    if (seen.found.kind == hazard.kind && seen.in_launches_of(added) &&
        same_place(seen.found.here, hazard.here) && same_place(seen.found.other, hazard.other)) {
      seen.count += added.count;
      NeedOf &needed = seen.found.race.last_barrier;
      needed = std::max(needed, hazard.race.last_barrier);
      // What helps the pairs of a warp or a block does not help those of two.
      if ((seen.found.race.in_one_warp && !hazard.race.in_one_warp) ||
          (seen.found.race.in_one_block && !hazard.race.in_one_block)) {
        const bool comes_round = seen.found.race.comes_round;
        const NeedOf before = needed;
        seen.found = hazard;
        seen.found.race.comes_round = comes_round;
        needed = before;
      }
      return;
    }
  const auto alike = [&](const Seen &seen) { return seen.found.warning == hazard.warning; };
  if (std::count_if(seen_.begin(), seen_.end(), alike) < most)
    seen_.push_back(added);
}

void HazardList::came_round(uint32_t pc) {
  for (Seen &seen : seen_)
    if (seen.found.here.pc == pc || seen.found.other.pc == pc)
      seen.found.race.comes_round = true;
}

void HazardList::came_late(const Side &read, const Side &write) {
  for (Seen &seen : seen_) {
    const Side &here = seen.found.here;
    if (seen.found.kind == "uninitialised" && seen.found.race.later.pc == 0 && here.pc == read.pc &&
        same_index(here.thread, read.thread) && same_index(here.block, read.block))
      seen.found.race.later = write;
  }
}

// A race lets a thread read before another has written, and now and then lets two threads write the
// same value by chance: the race is what to mend.
bool HazardList::follows(const Seen &seen) const {
  const auto is_its_race = [&](const Seen &other) {
    if (!is_race(other.found.kind) || !other.in_launches_of(seen))
      return false;
    const Side &here = seen.found.here;
    return same_place(other.found.here, here) || same_place(other.found.other, here);
  };
  return (seen.found.kind == "uninitialised" || seen.found.kind == "same_value_race" ||
          seen.found.kind == "first_look") &&
         std::any_of(seen_.begin(), seen_.end(), is_its_race);
}

// Threads that have all passed two barriers and now wait at one each were led apart by what they read: a race for a
// single value is the cause.
bool HazardList::led_apart(const Seen &seen) const {
  const auto any = [&](auto is) {
    return std::any_of(seen_.begin(), seen_.end(), [&](const Seen &other) {
      return other.in_launches_of(seen) && is(other.found);
    });
  };
  return any([](const FoundHazard &found) { return found.race.one_value; }) &&
         any([](const FoundHazard &found) {
           return found.kind == "divergent_barrier" && found.message.ends_with("before");
         });
}

// Where not all threads reach a barrier, those that did race with those that did not, or read what these
// have not written: the barrier is what to mend, although by itself it may be harmless.
bool HazardList::is_cause(const Seen &seen) const {
  const auto is_its_doing = [&](const Seen &other) {
    return (is_race(other.found.kind) || other.found.kind == "uninitialised") &&
           other.in_launches_of(seen);
  };
  return is_uneven_barrier(seen.found.kind) &&
         std::any_of(seen_.begin(), seen_.end(), is_its_doing);
}

// Among the races of a kernel those between warps tell more.
int HazardList::rank(const Seen &seen) const {
  const auto is_wider = [&](const Seen &other) {
    return is_race(other.found.kind) && !other.found.race.in_one_warp && other.in_launches_of(seen);
  };
  if (led_apart(seen))
    return seen.found.race.one_value ? 0 : 2;
  if (is_cause(seen))
    return 0;
  return seen.found.race.in_one_warp && std::any_of(seen_.begin(), seen_.end(), is_wider) ? 2 : 1;
}

// Who writes what was read unwritten is the other side; and so it is of a race of these two.
FoundHazard HazardList::with_late_write(const Seen &seen) const {
  FoundHazard found = seen.found;
  if (found.kind == "uninitialised" && found.race.later.pc != 0) {
    found.other = found.race.later;
    found.other_did = "writes it, but only later";
  }
  for (const Seen &other : seen_)
    if (found.kind == "shared_race" && other.found.kind == "uninitialised" &&
        other.in_launches_of(seen) &&
        ((other.found.here.pc == found.here.pc && other.found.race.later.pc == found.other.pc) ||
         (other.found.here.pc == found.other.pc && other.found.race.later.pc == found.here.pc)))
      found.race.later = other.found.race.later;
  return found;
}

void HazardList::report(ReportBuilder &builder) const {
  for (const int wanted : {0, 1, 2})
    for (const Seen &seen : seen_)
      if (rank(seen) == wanted && !follows(seen))
        builder.add_hazard({seen.found.kind,
                            seen.found.warning && wanted > 0,
                            seen.kernel,
                            seen.part,
                            {},
                            {},
                            seen.found.message,
                            seen.count},
                           with_late_write(seen));
}

} // namespace emu
