#include "checker/checker.hpp"

#include "checker/channel.hpp"
#include "checker/detail.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace checker {
namespace detail {
namespace {

struct Explanation {
  std::string diagnosis;
  std::string text;
};

/// The case that runs, and what the cases before it came to.
struct State {
  std::uint64_t seed_of_case = 0;
  std::uint64_t inputs = 0; ///< seeds handed out in this case
  std::vector<Explanation> explanations; ///< those that hold
  bool failed = false;
  std::string message;

  int order = 0; ///< the drawn one that work runs in; 0: none

  std::string perhaps; ///< of a hazard in this case
  std::string hazard; ///< the first one of all cases
  std::string failure; ///< the diagnosis of the first one of all cases
};

State &state() {
  static State instance;
  return instance;
}

/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
std::uint64_t hash(const char *text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (; *text; ++text)
    value = (value ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return value;
}

std::string figure(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string triple(const unsigned (&v)[3]) {
  return std::to_string(v[0]) + ',' + std::to_string(v[1]) + ',' + std::to_string(v[2]);
}

[[noreturn]] void end_with_mismatch(const std::string &text) {
  const auto &known = state().explanations;
  if (known.empty())
    end_case("wrong_result", text);
  end_case(known[0].diagnosis, known[0].text + " (" + text + ")");
}

} // namespace

void begin_case(const char *name) {
  State &s = state();
  if (s.failed)
    (void)cudaDeviceReset();
  s.failed = false;
  s.message.clear();
  s.explanations.clear();
  s.perhaps.clear();
  s.inputs = 0;
  s.seed_of_case = lab::random_u64(channel_seed(), hash(name));
}

bool end_case_normally() { return !state().failed; }

const std::string &case_message() { return state().message; }

static void note_that_somebody_came(const std::string &text, const emu::SourceLine &where) {
  const std::string order = std::to_string(std::exchange(state().order, 0));
  note_failure("came_between",
               "right as long as nobody comes in between, wrong in the drawn order " + order +
                   ": between two accesses of a thread there is room for those of others, even if "
                   "each of the two is atomic (" +
                   text + ")",
               where);
}

void note_failure(const std::string &diagnosis,
                  const std::string &text,
                  const emu::SourceLine &where) {
  State &s = state();
  if (s.failed)
    return;
  if (s.order != 0) {
    note_that_somebody_came(text, where);
    return;
  }
  s.failed = true;
  s.message = text;
  if (s.failure.empty())
    s.failure = diagnosis;
  send("fail", {diagnosis, text, where.file, std::to_string(where.line)});
}

void end_case(const std::string &diagnosis, const std::string &text) {
  note_failure(diagnosis, text);
  DOCTEST_FAIL(text);
  std::abort(); // doctest has thrown
}

std::string verdict_so_far() {
  const State &s = state();
  if (!s.hazard.empty())
    return "hazard " + s.hazard;
  return s.failure.empty() ? "pass" : "fail " + s.failure;
}

void report_hazards(const std::string &part, const emu::Observation &seen) {
  for (const emu::Hazard &hazard : seen.hazards) {
    // A barrier that not all threads reach is one mistake, whether these wait elsewhere or are gone; and
    // what a program may get away with is wrong in an answer.
    const bool uneven = hazard.kind == "exited_at_barrier";
    const std::string kind = uneven ? "divergent_barrier" : hazard.kind;
    if (hazard.warning && !uneven)
      continue;
    State &s = state();
    std::string text = part + ": ";
    if (hazard.kernel.empty() && hazard.here.where.line == 0 && hazard.other.where.line > 0)
      text += "in a call of the checker's: "; // which reads what the learner's have left
    text += hazard.message.empty() ? kind : hazard.message;
    if (!s.perhaps.empty()) // nearer to the cause than what is said of all hazards of the kind
      text += ". " + s.perhaps;
    else if (!hazard.advice.empty())
      text += ". Try: " + hazard.advice;
    const auto &here = hazard.here, &other = hazard.other;
    const auto index = [&](const unsigned(&v)[3]) { // none of what no kernel does
      return hazard.kernel.empty() ? "" : triple(v);
    };
    send("hazard",
         {kind,
          text,
          here.where.file,
          std::to_string(here.where.line),
          index(here.thread),
          index(here.block),
          other.where.file,
          std::to_string(other.where.line),
          index(other.thread),
          index(other.block)});
    s.hazard = s.hazard.empty() ? kind : s.hazard;
    end_case(kind, text);
  }
}

// CUDA's error is told with the call that it came from, which may be long before the one that threw.
void report_error(const std::string &part,
                  const std::optional<emu::Observation> &seen,
                  const std::exception_ptr &thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const lab::CudaError &error) {
    if (!seen || !seen->failed_call)
      throw;
    const emu::FailedCall &call = *seen->failed_call;
    std::string text = part + ": " + call.error + " (" + cudaGetErrorString(error.code()) + ")";
    if (call.where.line > 0)
      text += " from the call in line " + std::to_string(call.where.line);
    if (!call.launch.empty())
      text += ", which is " + call.launch;
    if (const std::string advice = lab::advice_for(error.code()); !advice.empty())
      text += ". Try: " + advice;
    note_failure("cuda_error", text, call.where);
    DOCTEST_FAIL(text);
    std::abort(); // doctest has thrown
  }
}

DrawnOrder::DrawnOrder(int number) {
  state().order = number;
  const std::uint64_t drawn = lab::random_u64(channel_seed(), static_cast<std::uint64_t>(number));
  setenv("EMU_SCHEDULE", std::to_string(1 + drawn % 1'000'000).c_str(), 1);
}

DrawnOrder::~DrawnOrder() {
  state().order = 0;
  unsetenv("EMU_SCHEDULE");
}

bool DrawnOrder::here() { return state().order != 0; }

bool can_measure() { return !lab::on_emulator() && std::getenv("CHECKER_UNTIMED") == nullptr; }

void judge_bandwidth(double bytes, double ms, lab::Ceiling ceiling, double share) {
  const lab::Ceilings &best = lab::ceilings();
  const double top = ceiling == lab::Ceiling::read ? best.read_gbps : best.copy_gbps;
  const double reached = bytes / ms / 1e6 / top;
  const std::string percent =
      figure(100 * reached) + " % of the " + figure(top) + " GB/s that were measured in this run";
  record("percent_of_bandwidth", 100 * reached);
  // Up to 3 % more is within what two measurements differ by.
  expect(reached <= 1.03,
         "impossible_bandwidth",
         percent + ": more than there is, so the work was not done, or its data was in the cache");
  expect(
      reached >= share, "slow", percent + "; at least " + figure(100 * share) + " % are asked for");
}

} // namespace detail

std::uint64_t seed() { return detail::channel_seed(); }

std::uint64_t next_seed() {
  return lab::random_u64(detail::state().seed_of_case, detail::state().inputs++);
}

template <class T> std::vector<T> random_values(std::size_t n, T low, T high) {
  std::vector<T> values(n);
  const std::uint64_t input = next_seed();
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, float>)
      values[i] = lab::random_float(input, i, low, high);
    else if constexpr (std::is_same_v<T, int>)
      values[i] = lab::random_int(input, i, low, high);
    else
      values[i] = low + static_cast<T>(lab::random_u64(input, i) %
                                       (static_cast<std::uint64_t>(high - low) + 1));
  }
  return values;
}
template std::vector<int> random_values(std::size_t, int, int);
template std::vector<unsigned> random_values(std::size_t, unsigned, unsigned);
template std::vector<float> random_values(std::size_t, float, float);

const std::vector<int> &sizes() {
  static const std::vector<int> list{1024, 1023, 1025, 33, 32, 31, 1, 0, 4099};
  return list;
}

void diagnose(const std::string &diagnosis, bool holds, const std::string &text) {
  if (holds)
    detail::state().explanations.push_back({diagnosis, text});
}

void expect(bool holds, const std::string &diagnosis, const std::string &text) {
  if (!holds)
    detail::end_case(diagnosis, text);
  detail::state().explanations.clear();
}

void expect_same(const std::string &what, const lab::Verdict &verdict) {
  const bool named = verdict.message.rfind(what + ": ", 0) == 0; // compare_value() does that
  if (!verdict.ok)
    detail::end_with_mismatch(named ? verdict.message : what + ": " + verdict.message);
  expect(true, "", "");
}

void record(const std::string &counter, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  detail::send("counter", {counter, text});
}

void perhaps(const std::string &text) { detail::state().perhaps = text; }

void unless_failed_before() {
  const detail::State &s = detail::state();
  if (!s.failure.empty())
    detail::end_case(s.failure, "not tried: a simpler case has failed");
}

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
