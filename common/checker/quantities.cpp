#include "checker/checker.hpp"

#include "checker/detail.hpp"

#include <algorithm>
#include <cstdio>

namespace checker {
namespace detail {

std::string figure(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
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
                    const std::string &text) {
  record(counter, value);
  if (!(value <= bound))
    detail::end_case(diagnosis,
                     text + " (" + named(counter) + ": " + detail::figure(value) + ", at most " +
                         detail::figure(bound) + " asked for)");
  expect(true, "", "");
}

void expect_at_least(const std::string &counter,
                     double value,
                     double bound,
                     const std::string &diagnosis,
                     const std::string &text) {
  record(counter, value);
  if (!(value >= bound))
    detail::end_case(diagnosis,
                     text + " (" + named(counter) + ": " + detail::figure(value) + ", at least " +
                         detail::figure(bound) + " asked for)");
  expect(true, "", "");
}

void expect_cost_at_most(const emu::Observation &seen,
                         emu::Access access,
                         double bound,
                         const std::string &diagnosis,
                         const std::string &text) {
  const auto cost = [access](const emu::AccessCounts &counts) {
    return emu::is_shared(access) ? counts.wavefronts_per_request() : counts.sectors_per_request();
  };
  const emu::LineReport *worst = nullptr;
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == access && (!worst || cost(line.counts) > cost(worst->counts)))
        worst = &line;
  const std::string unit = emu::is_shared(access) ? "wavefront" : "sector";
  const double value = cost(total(seen, access));
  record(std::string(emu::access_name(access)) + '.' + unit + "s_per_request", value);
  if (!(value <= bound)) {
    const std::string line = "line " + std::to_string(worst->where.line) + " costs " +
                             detail::figure(cost(worst->counts)) + ' ' + unit +
                             "s per request on average, " + std::to_string(worst->worst.cost) +
                             " at worst";
    detail::note_failure(diagnosis,
                         text + " (" + line + "; " + detail::figure(value) +
                             " over all lines, at most " + detail::figure(bound) + " asked for)",
                         worst->where);
    detail::end_case(diagnosis, text);
  }
  expect(true, "", "");
}

emu::AccessCounts total(const emu::Observation &seen, emu::Access access) {
  emu::AccessCounts sum;
  for (const emu::KernelReport &kernel : seen.kernels)
    sum.add(kernel.total(access));
  return sum;
}

void expect_lanes(const emu::Observation &seen,
                  emu::Access access,
                  double lanes,
                  const std::string &text,
                  double spread) {
  const std::string name = emu::access_name(access);
  const emu::AccessCounts counts = total(seen, access);
  std::string what = name; // "global load"
  std::replace(what.begin(), what.end(), '_', ' ');
  std::string found = "only " + detail::figure(counts.active_lanes()) +
                      " of the 32 lanes of a warp take part in a " + what +
                      ", on average: few threads do what is work for all";
  if (counts.requests == 0)
    found = "no thread of a kernel does a " + what;
  expect_at_least(name + ".active_lanes",
                  counts.active_lanes(),
                  lanes,
                  "idle_lanes",
                  text.empty() ? found : text + "; " + found);
  const double shared_out = emu::work_spread(seen.kernels, access);
  expect_at_least(name + ".spread_over_warps",
                  shared_out,
                  spread,
                  "idle_warps",
                  "few warps do what is work for all: the busiest one has " +
                      detail::figure(1 / shared_out) + " times as many " + what +
                      " requests as an average one. Each block and each warp of it should have its "
                      "share");
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

double barriers_per_block(const emu::Observation &seen) {
  double barriers = 0, blocks = 0;
  for (const emu::KernelReport &kernel : seen.kernels) {
    barriers += static_cast<double>(kernel.barriers);
    blocks += static_cast<double>(kernel.blocks_traced);
  }
  return blocks > 0 ? barriers / blocks : 0;
}

double meetings_per_warp(const emu::Observation &seen) {
  double meetings = 0, warps = 0;
  for (const emu::KernelReport &kernel : seen.kernels) {
    const unsigned threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    meetings += static_cast<double>(kernel.warp_meetings);
    warps += static_cast<double>(kernel.blocks_traced) * ((threads + 31) / 32);
  }
  return warps > 0 ? meetings / warps : 0;
}

} // namespace checker
