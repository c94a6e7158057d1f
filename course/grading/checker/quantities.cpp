#include "checker/checker.hpp"

#include "checker/detail.hpp"
#include "checker/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

namespace checker {

static constexpr std::size_t large = 512; // elements of an array
static constexpr double hardly_any_lanes = 2.5; // of 32, on average

namespace detail {

std::string figure(double value) {
  char text[40];
  const bool count = std::floor(value) == value && std::fabs(value) < 1e9;
  std::snprintf(text, sizeof text, count ? "%.0f" : "%.4g", value);
  return text;
}

namespace {

/// Of a kernel's accesses to global memory, and of the line with most of them.
struct Work {
  emu::AccessCounts counts;
  std::uint64_t most = 0;
  int line = 0;
  std::optional<double>
      spread; ///< over warps, of the launch of several blocks that shares out best
};

std::map<std::string, Work> &work_of_kernels() {
  static std::map<std::string, Work> all;
  return all;
}

/// What requests of one kind have cost in all observations, and what is asked of them where it was asked.
struct Asked {
  double bound = 0;
  std::string text; ///< what is wrong with more; empty: nothing was asked
  emu::AccessCounts where_asked;
  double lanes = 0; ///< at least; 0: nothing was asked
  emu::AccessCounts where_lanes_asked;
  std::map<int, emu::AccessCounts> lines; ///< of all observations, where_asked too
  emu::AccessCounts of_large; ///< of those with arrays that have work for many lanes
};

std::map<emu::Access, Asked> &asked_of() {
  static std::map<emu::Access, Asked> all;
  return all;
}

/// "global load"
std::string in_words(emu::Access access) {
  std::string words = emu::access_name(access);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// Those of the blocks whose accesses were counted.
double warps_counted(const emu::Observation &seen) {
  double warps = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    warps += static_cast<double>(kernel.warps_traced());
  return warps;
}

/// Of a warp, on average: blocks of 33 threads have warps of 32 and of 1.
double lanes_there(const emu::Observation &seen) {
  double threads = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    threads += static_cast<double>(kernel.blocks_traced * kernel.block[0] * kernel.block[1] *
                                   kernel.block[2]);
  const double warps = warps_counted(seen);
  return warps > 0 ? threads / warps : 32;
}

/// What is one thread here, and many on a GPU.
bool is_of_library(const std::string &kernel) {
  return kernel.starts_with("thrust::") || kernel.starts_with("cub::");
}

/// How the warps of several blocks share out what goes to global memory; nothing where they may draw what they do.
std::optional<double> spread_over_blocks(const emu::KernelReport &kernel) {
  constexpr unsigned several = 3;
  if (kernel.blocks() < several * kernel.launches || kernel.blocks_traced < kernel.blocks() ||
      kernel.total(emu::Access::global_atomic).requests > 0)
    return {};
  return std::max(emu::work_spread({kernel}, emu::Access::global_load),
                  emu::work_spread({kernel}, emu::Access::global_store));
}

} // namespace

void note_work(const emu::Observation &seen) {
  for (const emu::KernelReport &kernel : seen.kernels) {
    Work &work = work_of_kernels()[kernel.name];
    if (const auto spread = spread_over_blocks(kernel))
      work.spread = std::max(work.spread.value_or(0), *spread);
    for (const emu::LineReport &line : kernel.lines) {
      if (!is_of_library(kernel.name)) {
        Asked &asked = asked_of()[line.access];
        asked.lines[line.where.line].add(line.counts);
        if (largest_input() >= large && !tries_own_size())
          asked.of_large.add(line.counts);
      }
      if (emu::is_shared(line.access) || line.access == emu::Access::constant)
        continue;
      work.counts.add(line.counts);
      if (line.counts.requests > work.most) {
        work.most = line.counts.requests;
        work.line = line.where.line;
      }
    }
  }
}

bool kernels_have_run() { return !work_of_kernels().empty(); }

std::string work_of_few_blocks() {
  constexpr double much_the_same = 0.45;
  for (const auto &[kernel, work] : work_of_kernels())
    if (!is_of_library(kernel) && work.spread && *work.spread > 0 && *work.spread < much_the_same)
      return "the results are right, but in kernel " + kernel +
             " few warps do what is work for all: whenever there are several blocks, the busiest "
             "warp goes to global memory " +
             figure(1 / *work.spread) +
             " times as often as an average one, or more. Each block should have its share";
  return {};
}

std::string work_of_few_lanes() {
  constexpr std::uint64_t much = 256; // requests
  std::uint64_t all = 0;
  for (const auto &[kernel, work] : work_of_kernels())
    all += work.counts.requests;
  // One thread that adds what blocks have made is slow, not idle: it has the smaller part.
  for (const auto &[kernel, work] : work_of_kernels())
    if (!is_of_library(kernel) && work.counts.requests >= std::max(much, all / 2) &&
        work.counts.active_lanes() < hardly_any_lanes)
      return "the results are right, but in kernel " + kernel + " on average only " +
             figure(work.counts.active_lanes()) +
             " of a warp's 32 lanes go to global memory, most often in line " +
             std::to_string(work.line) + ": a few threads do work that is meant for all";
  return {};
}

} // namespace detail

namespace {
/// Counters that no output of the course explains, in words.
std::string named(const std::string &counter) {
  return counter == "meetings_per_warp" ? "shuffles, votes and __syncwarp() of a warp" : counter;
}
} // namespace

void expect_at_most(const std::string &counter,
                    double value,
                    double bound,
                    const std::string &diagnosis,
                    const std::string &text,
                    const emu::LineReport *line) {
  record(counter, value);
  const std::string words = text + " (" + named(counter) + ": " + detail::figure(value) +
                            ", at most " + detail::figure(bound) + " asked for)";
  if (!(value <= bound)) {
    detail::note_failure(diagnosis, words, line, false);
    detail::end_case(diagnosis, words);
  }
  expect(true, "", "");
}

void expect_at_least(const std::string &counter,
                     double value,
                     double bound,
                     const std::string &diagnosis,
                     const std::string &text,
                     const emu::LineReport *line) {
  record(counter, value);
  const std::string words = text + " (" + named(counter) + ": " + detail::figure(value) +
                            ", at least " + detail::figure(bound) + " asked for)";
  if (!(value >= bound)) {
    detail::note_failure(diagnosis, words, line, false);
    detail::end_case(diagnosis, words);
  }
  expect(true, "", "");
}

namespace {

/// What requests cost, and what they may: `bound` each, or as much more as lanes that take more than a word each need
/// at the least. A float4 of each lane lies in 16 sectors at best where a float lies in 4.
struct Cost {
  double moved = 0, allowed = 0;

  static Cost of(const emu::AccessCounts &counts, emu::Access access, double bound) {
    const bool shared = emu::is_shared(access);
    const auto ideal = static_cast<double>(shared ? counts.ideal_wavefronts : counts.ideal_sectors);
    const double of_words = shared ? 1 : 4; // what a word of each of 32 lanes takes at the least
    return {static_cast<double>(shared ? counts.wavefronts : counts.sectors),
            std::max(static_cast<double>(counts.requests) * bound, ideal * (bound / of_words))};
  }
  /// 1: just what is allowed.
  double excess() const { return allowed > 0 ? moved / allowed : 0; }
};

// ": lanes 0 and 4 want words 32 apart, which lie in one bank", of the first two that do; empty for what is no conflict
// of words.
std::string who_meets(const emu::LineReport &line) {
  const emu::RequestSample &sample = line.worst;
  if (!emu::is_shared(line.access) || line.access_bytes > 4)
    return {};
  for (int lane = 0; lane < 32; ++lane)
    for (int other = 0; other < lane; ++other) {
      if (!(sample.active >> lane & sample.active >> other & 1))
        continue;
      const std::uint64_t first = sample.address[other] / 4, last = sample.address[lane] / 4;
      const std::uint64_t apart = std::max(first, last) - std::min(first, last);
      if (apart > 0 && apart % 32 == 0)
        return ": lanes " + std::to_string(other) + " and " + std::to_string(lane) +
               " want words " + std::to_string(apart) + " apart, which lie in one bank";
    }
  return {};
}

/// Of a request for global memory: which lanes lie side by side, and where the next one begins.
/// @param across  threads in x that a block has
std::string how_far_apart(const emu::LineReport &line, int across) {
  const auto &at = line.worst.address;
  const auto step = [&](int lane) { return static_cast<std::int64_t>(at[lane] - at[lane - 1]); };
  int end = 1; // of those that do
  while (end < 32 && step(end) == line.access_bytes)
    ++end;
  if (line.worst.active != ~0u || end == 32)
    return {};
  const std::string bytes = counted(std::abs(step(end)), "byte");
  int alike = 1;
  while (alike < 32 && step(alike) == step(1))
    ++alike;
  if (alike == 32)
    return "each lane begins " + bytes + (step(1) < 0 ? " before" : " after") +
           " the one before it";
  const std::string before = std::to_string(end - 1), next = std::to_string(end);
  return (end == 1 ? "" : "lanes 0 to " + before + " lie side by side, and ") + "lane " + next +
         " begins " + bytes + (step(end) < 0 ? " before lane " : " after lane ") + before +
         (end > 1 && end == across ? ": a row of the block has " + next + " threads" : "");
}

/// Of a request for shared memory: the few banks that its words lie in.
std::string which_banks(const emu::LineReport &line) {
  std::set<std::uint64_t> words, banks;
  for (int lane = 0; lane < 32; ++lane)
    if (line.worst.active >> lane & 1)
      words.insert(line.worst.address[lane] / 4);
  for (const std::uint64_t word : words)
    banks.insert(word % 32);
  if (line.access_bytes != 4 || banks.size() < 2 || 2 * banks.size() > words.size())
    return {};
  const bool in_a_row = *banks.rbegin() - *banks.begin() + 1 == banks.size();
  return "the words of its " + std::to_string(words.size()) + " lanes lie in " +
         (in_a_row ? "banks " + std::to_string(*banks.begin()) + " to " +
                         std::to_string(*banks.rbegin()) + " alone"
                   : std::to_string(banks.size()) + " of the 32 banks");
}

} // namespace

void expect_cost_at_most(const emu::Observation &seen,
                         emu::Access access,
                         double bound,
                         const std::string &diagnosis,
                         const std::string &text,
                         bool everywhere) {
  const emu::LineReport *worst = nullptr;
  int across = 0; // threads in x, of its kernel's blocks
  Cost all;
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines) {
      if (line.access != access)
        continue;
      const Cost cost = Cost::of(line.counts, access, bound);
      all.moved += cost.moved;
      all.allowed += cost.allowed;
      if (!worst || cost.excess() > Cost::of(worst->counts, access, bound).excess()) {
        worst = &line;
        across = static_cast<int>(kernel.block[0]);
      }
    }
  const std::string unit = emu::is_shared(access) ? "wavefront" : "sector";
  const emu::AccessCounts counts = total(seen, access);
  const auto per_request = [requests = static_cast<double>(counts.requests)](double of_all) {
    return requests > 0 ? of_all / requests : 0;
  };
  record(std::string(emu::access_name(access)) + '.' + unit + "s_per_request",
         per_request(all.moved));
  if (!(all.moved <= all.allowed)) {
    const auto of_line = static_cast<double>(worst->counts.requests);
    const std::string average =
        detail::figure(Cost::of(worst->counts, access, bound).moved / of_line);
    const std::string at_worst = std::to_string(worst->worst.cost),
                      over_all = detail::figure(per_request(all.moved));
    const std::string place = std::to_string(worst->where.line),
                      lie = emu::is_shared(access) ? which_banks(*worst)
                                                   : how_far_apart(*worst, across);
    const std::string meet = lie.empty() ? who_meets(*worst) : "";
    detail::note_failure(
        diagnosis,
        text +
            (lie.empty() ? ""
                         : (text.ends_with('?') ? " In line " : ". In line ") + place + ' ' + lie) +
            " (line " + place + " costs " + average + ' ' + unit + "s per request" +
            (at_worst == average ? "" : " on average, " + at_worst + " at worst") + meet +
            (over_all == average ? "" : "; " + over_all + " over all lines") +
            (meet.empty() ? ", at most " : "; at most ") +
            detail::figure(per_request(all.allowed)) + " asked for)",
        worst,
        true);
    detail::end_case(diagnosis, text);
  }
  if (everywhere) {
    detail::Asked &asked = detail::asked_of()[access];
    asked.bound = bound;
    asked.text = text;
    asked.where_asked.add(counts);
  }
  expect(true, "", "");
}

detail::Elsewhere detail::asked_elsewhere() {
  constexpr double slack = 2; // edges cost more than what is measured
  constexpr double few = 4; // times fewer lanes than asked for, as small inputs have few
  constexpr std::uint64_t much = 128; // requests
  const std::string elsewhere =
      "where it is measured all is as asked for, and with other inputs it is not: ";
  for (const auto &[access, asked] : asked_of()) {
    const std::pair<const int, emu::AccessCounts> *worst = nullptr;
    emu::AccessCounts all;
    for (const auto &line : asked.lines) {
      all.add(line.second);
      if (!worst || Cost::of(line.second, access, asked.bound).excess() >
                        Cost::of(worst->second, access, asked.bound).excess())
        worst = &line;
    }
    const Cost there = Cost::of(asked.where_asked, access, asked.bound),
               of_all = Cost::of(all, access, asked.bound);
    if (!asked.text.empty() && all.requests >= asked.where_asked.requests + much &&
        of_all.moved - there.moved > slack * (of_all.allowed - there.allowed))
      return {"slow_elsewhere",
              elsewhere + "in line " + std::to_string(worst->first) + " a request costs " +
                  figure(Cost::of(worst->second, access, 1).moved /
                         static_cast<double>(worst->second.requests)) +
                  (emu::is_shared(access) ? " wavefronts" : " sectors") + " on average. " +
                  asked.text};
    const emu::AccessCounts &of_large = asked.of_large, &measured = asked.where_lanes_asked;
    const std::uint64_t requests = of_large.requests - measured.requests,
                        lanes = of_large.lanes - measured.lanes;
    if (asked.lanes > 0 && of_large.requests >= measured.requests + much &&
        few * static_cast<double>(lanes) < asked.lanes * static_cast<double>(requests)) {
      return {"idle_lanes",
              elsewhere + "on average " +
                  figure(static_cast<double>(lanes) / static_cast<double>(requests)) +
                  " of a warp's 32 lanes take part in a " + in_words(access) +
                  ": a few threads do work that is meant for all"};
    }
  }
  return {};
}

emu::AccessCounts total(const emu::Observation &seen, emu::Access access) {
  emu::AccessCounts sum;
  for (const emu::KernelReport &kernel : seen.kernels)
    sum.add(kernel.total(access));
  return sum;
}

void expect_each_loaded_once(const emu::Observation &seen, std::size_t numbers) {
  expect_at_most("global_load.requests_per_warp",
                 32 * static_cast<double>(total(seen, emu::Access::global_load).requests) /
                     static_cast<double>(numbers),
                 1.0,
                 "read_again",
                 "each number is loaded once; the others come from lane to lane");
}

void expect_masks_named(const emu::Observation &seen) {
  for (const emu::KernelReport &kernel : seen.kernels)
    expect(kernel.active_masks == 0,
           "active_mask",
           "the results are right here, by luck: __activemask() tells which lanes happen to run "
           "together just now, and nothing promises that these are all that should meet. Name "
           "them: 0xffffffff for a whole warp, else what a __ballot_sync() of the whole warp says "
           "before they part");
}

static std::uint64_t idle_lanes_of(const emu::AccessCounts &counts) {
  return 32 * counts.requests - counts.lanes;
}
static std::uint64_t requests_of(const emu::AccessCounts &counts) { return counts.requests; }

/// The line whose requests have most of `what`; null where no line makes any.
static const emu::LineReport *line_with_most(std::uint64_t what(const emu::AccessCounts &),
                                             const emu::Observation &seen,
                                             emu::Access access) {
  const emu::LineReport *found = nullptr;
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == access && (!found || what(line.counts) > what(found->counts)))
        found = &line;
  return found;
}

void expect_lanes(const emu::Observation &all,
                  emu::Access access,
                  double lanes,
                  const std::string &text,
                  double spread) {
  emu::Observation seen = all; // without what is one thread here, and many on a GPU
  std::erase_if(seen.kernels,
                [](const emu::KernelReport &kernel) { return detail::is_of_library(kernel.name); });
  const std::string name = emu::access_name(access);
  const emu::AccessCounts counts = total(seen, access);
  if (counts.requests == 0 && total(all, access).requests > 0)
    return;
  if (detail::tries_own_size())
    lanes *= detail::lanes_there(seen) / 32;
  const std::string what = detail::in_words(access);
  const double active = counts.active_lanes();
  std::string found =
      "on average only " + detail::figure(active) + " of a warp's 32 lanes take part in a " + what +
      (text.empty() || active < hardly_any_lanes ? ": a few threads do work that is meant for all"
                                                 : "");
  if (counts.requests == 0)
    found = "no thread of a kernel does a " + what;
  expect_at_least(name + ".active_lanes",
                  active,
                  lanes,
                  "idle_lanes",
                  text.empty() ? found : text + "; " + found,
                  line_with_most(idle_lanes_of, seen, access));
  detail::Asked &asked = detail::asked_of()[access];
  asked.lanes = std::max(asked.lanes, lanes);
  if (detail::largest_input() >= large && !detail::tries_own_size())
    asked.where_lanes_asked.add(counts);
  const double shared_out = emu::work_spread(seen.kernels, access);
  const double average = requests_per_warp(seen, access);
  expect_at_least(
      name + ".spread_over_warps",
      shared_out,
      average / (average / spread + 0.5), // whoever sees to both ends has a few to make
      "idle_warps",
      "few warps do what is work for all: the busiest one has " + detail::figure(1 / shared_out) +
          " times as many " + what +
          " requests as an average one. Each block, and each warp of it, should have its "
          "share: does a test of blockIdx.x or threadIdx.x keep most from their work, or "
          "a loop that takes too small a step?",
      line_with_most(requests_of, seen, access));
}

void expect_lanes_or_shuffles(const emu::Observation &seen,
                              emu::Access access,
                              double lanes,
                              double spread,
                              const std::string &text) {
  constexpr double meetings = 1; // of a warp at the least: cg::reduce is one
  constexpr double few = 4; // of a warp that has shuffled once: its result, and those of others
  double warps = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    warps += static_cast<double>(kernel.warps_traced());
  const double met = meetings_per_warp(seen);
  const bool shuffles = met >= meetings && static_cast<double>(total(seen, access).requests) <=
                                               std::max(few, met) * warps;
  if (!shuffles) {
    expect_lanes(seen, access, lanes, text, spread);
    return;
  }
  const auto shared = static_cast<double>(total(seen, emu::Access::shared_load).requests +
                                          total(seen, emu::Access::shared_store).requests);
  if (shared <= std::max(few, met) * warps) // else lanes wait by __syncwarp() for what is stored
    note("Lanes hand each other their numbers here, without shared memory in between: better than "
         "what was asked for (chapter 10).");
  expect_lanes(seen, emu::Access::global_load, std::max(lanes, 20.0));
}

void expect_by_kernels(const emu::Observation &seen,
                       emu::Access access,
                       std::size_t bytes,
                       const std::string &what) {
  for (const emu::KernelReport &kernel : seen.kernels)
    if (kernel.blocks_traced != kernel.blocks())
      return; // not all are counted
  const std::uint64_t done = total(seen, access).bytes;
  expect(done >= bytes,
         "worked_on_the_host",
         what + ": all is right, but the host has done what kernels are for: of " +
             counted(static_cast<long long>(bytes), "byte") + " that are theirs to " +
             (access == emu::Access::global_store ? "store" : "load") + ", they have " +
             (done == 0 ? "touched none" : "touched " + std::to_string(done)));
}

void expect_no_shared(const emu::Observation &seen) {
  using enum emu::Access;
  expect_at_most(
      "shared_store.requests_per_warp",
      requests_per_warp(seen, shared_store) + requests_per_warp(seen, shared_atomic),
      0,
      "through_shared",
      "the results are right, by way of shared memory, where each lane looks for itself. "
      "Lanes can read each other's registers: no shared memory is needed");
}

void expect_shared_used(const emu::Observation &seen,
                        emu::Access access,
                        double requests_per_block,
                        const std::string &text) {
  double blocks = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    blocks += static_cast<double>(kernel.blocks_traced);
  const auto requests = static_cast<double>(total(seen, access).requests);
  expect_at_least(std::string(emu::access_name(access)) + ".requests_per_block",
                  blocks > 0 ? requests / blocks : 0,
                  requests_per_block,
                  "shared_not_used",
                  text);
}

const emu::LineReport *busiest_line(const emu::Observation &seen, emu::Access access) {
  const emu::LineReport *busiest = nullptr;
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == access && (!busiest || line.counts.lanes > busiest->counts.lanes))
        busiest = &line;
  return busiest;
}

double barriers_per_block(const emu::Observation &seen) {
  double barriers = 0, blocks = 0;
  for (const emu::KernelReport &kernel : seen.kernels) {
    barriers += static_cast<double>(kernel.barriers);
    blocks += static_cast<double>(kernel.blocks_traced);
  }
  return blocks > 0 ? barriers / blocks : 0;
}

double accesses_per_thread(const emu::Observation &seen, emu::Access access) {
  const double warps = detail::warps_counted(seen);
  return warps > 0 ? static_cast<double>(total(seen, access).lanes) / (32 * warps) : 0;
}

double requests_per_warp(const emu::Observation &seen, emu::Access access) {
  const double warps = detail::warps_counted(seen);
  return warps > 0 ? static_cast<double>(total(seen, access).requests) / warps : 0;
}

double meetings_per_warp(const emu::Observation &seen) {
  const double warps = detail::warps_counted(seen);
  double meetings = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    meetings += static_cast<double>(kernel.warp_meetings);
  return warps > 0 ? meetings / warps : 0;
}

} // namespace checker
