/// @file
/// What a checker of an exercise is written with: seeded inputs, comparisons, counted quantities,
/// and verdicts that go to the tutor over a channel of their own.
///
/// A checker is a CUDA file of its own, exercises/CHAPTER/NAME/check.cu. It declares what it calls of
/// the learner's file and never includes it:
/// @code
/// #include "checker/checker.hpp"
///
/// __global__ void block_sum(const unsigned *in, int n, unsigned *out);
///
/// TEST_CASE("every size") {
///   for (int n : checker::sizes()) {
///     const auto h_in = checker::random_values<unsigned>(n, 0, 99);
///     ...
///     checker::launch("block_sum", [&] { block_sum<<<grid, block>>>(...); });
///     checker::diagnose("last_block_missing", got == ..., "your sum is short by the last block");
///     checker::expect_same("the sum of " + std::to_string(n) + " values", got, expected);
///   }
/// }
/// @endcode
/// The first expectation of a case that does not hold ends the case: what follows is mostly its
/// consequence. One checker has to be done within a second under observation: small sizes do.
#pragma once

#include "checker/inputs.hpp"
#include "checker/mismatch.hpp"
#include "checker/own_numbers.hpp"
#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/compare.hpp"
#include "common/device.hpp"
#include "common/random.hpp"
#include "common/timer.hpp"
#include "ladder/ceiling.hpp"
#include "ladder/observe.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace checker {

/// What all random inputs derive from: `./tutor check ID --seed N` draws the same ones again.
std::uint64_t seed();

/// A seed for the next input of this case: another one at each call, the same in each run. It does
/// not depend on which other cases run.
std::uint64_t next_seed();

/// n random numbers in [low, high] from next_seed(). For int, unsigned and float.
template <class T> std::vector<T> random_values(std::size_t n, T low, T high);

/// 1024 1023 1025 33 32 31 1 0 and 4099, a prime: the sizes at which kernels break. A plain one comes
/// first, so that what is wrong everywhere is told of a size that is easy to think about. Then those beside the answer's
/// own numbers, up to 4099.
Sizes sizes();

/// So many blocks have room for n elements, and one is the fewest: a grid of none is an error.
inline unsigned enough_blocks(int n, int per_block) {
  return n > 0 ? static_cast<unsigned>((n + per_block - 1) / per_block) : 1u;
}

/// n elements of device memory that hold what no correct program computes: see lab::poison.
template <class T> lab::DeviceBuffer<T> poisoned(std::size_t n) {
  detail::note_size(n);
  lab::DeviceBuffer<T> buffer(n);
  lab::poison(buffer);
  return buffer;
}

/// "1 element", "33 elements", "no elements": how messages count.
std::string counted(long long n, const std::string &thing);

/// The same for what goes in, so that it counts among the inputs.
std::string elements(long long n, const std::string &thing);
/// "33 rows and 17 columns": of the matrix that goes in.
std::string shape(int rows, int cols);

/// These values, which an answer finds in memory of the host: they count among the inputs.
template <class T> const std::vector<T> &goes_in(const std::vector<T> &values) {
  detail::note_values(values.data(), values.size());
  return values;
}

/// Device memory with these values.
template <class T> lab::DeviceBuffer<T> on_device(const std::vector<T> &values) {
  return lab::DeviceBuffer<T>(goes_in(values));
}

/// Offers an explanation: if the next expectation of this case fails and `holds`, then `diagnosis`
/// (one word, as in wrong answers and hints) and `text` are told instead of the bare mismatch. The
/// first explanation that holds is the one told.
void diagnose(const std::string &diagnosis, bool holds, const std::string &text);

/// Ends the case as failed unless `holds`. `text` says what is wrong, to the learner.
void expect(bool holds, const std::string &diagnosis, const std::string &text);

/// Ends the case as failed, with the diagnosis wrong_result or what diagnose() offers.
/// @param what  names what is compared: "the sum of 33 values"
void expect_same(const std::string &what, const lab::Verdict &verdict);

/// The same for two values.
template <class T>
void expect_same(const std::string &what, T actual, T expected, lab::Tolerance tolerance = {}) {
  const lab::Verdict verdict = lab::compare_value(what.c_str(), actual, expected, tolerance);
  if (!verdict.ok)
    detail::explain_number(what, actual, expected, tolerance);
  expect_same(what, verdict);
}

/// The same for two vectors; width as in lab::compare.
template <class T>
void expect_same(const std::string &what,
                 const std::vector<T> &actual,
                 const std::vector<T> &expected,
                 lab::Tolerance tolerance = {},
                 std::size_t width = 0) {
  const lab::Verdict verdict = lab::compare(actual, expected, tolerance, width);
  if (!verdict.ok && actual.size() == expected.size())
    detail::explain(what, detail::mismatch_of(actual, expected, tolerance, width));
  expect_same(what, verdict);
}

/// What else is said of a hazard in the rest of this case: what it comes from, as far as the cases before
/// tell. Empty: nothing.
/// @param kind  only of hazards of this kind, of CUDA's errors ("cuda_error"), or of what fails in a drawn order
///              ("came_between"); empty: of all hazards
/// @param words  only if these stand in what is said of the hazard, or in what it says to try; empty: whatever it says
void perhaps(const std::string &text, const std::string &kind = {}, const std::string &words = {});

/// Ends the case as failed, without a word, if one before it has failed: the simplest failing case speaks,
/// and not what a special one makes of the same mistake.
void unless_failed_before();

/// What is said of an answer that passes: what it has made, that it is better than what was asked for, or right by luck.
void note(const std::string &text);

/// What a note can show: these cells, row after row, as lines that begin anew. A line has two rows, as a terminal's
/// characters are twice as high as wide; at most 74 columns, and 2600 cells in all.
std::string picture(const std::vector<bool> &cells, int cols);

/// Tells the tutor a counted quantity, for its table and its predictions.
void record(const std::string &counter, double value);

/// Tells the tutor the counted quantity, and ends the case as failed unless it is at most `bound`.
/// @param text  what is wrong then, and what to look at; the figures are added
/// @param line  of a kernel, that is to blame; null: none in particular
void expect_at_most(const std::string &counter,
                    double value,
                    double bound,
                    const std::string &diagnosis,
                    const std::string &text,
                    const emu::LineReport *line = nullptr);
/// The same for a quantity that must be at least `bound`.
void expect_at_least(const std::string &counter,
                     double value,
                     double bound,
                     const std::string &diagnosis,
                     const std::string &text,
                     const emu::LineReport *line = nullptr);

/// The same for what a warp's requests of this kind cost on average: wavefronts of shared memory, sectors of
/// global memory. The line that costs most is told, what its worst request came to, and how that one's lanes lie.
/// @param bound  of requests for a word of each lane. Wider ones may cost as much more as they need at the least: 16
///               sectors for a float4 of each lane, where a float has 4
/// @param everywhere  all other observations of the run are held to twice as much, on average: what is good for the
///                    size that is measured alone has not solved the exercise
void expect_cost_at_most(const emu::Observation &seen,
                         emu::Access access,
                         double bound,
                         const std::string &diagnosis,
                         const std::string &text,
                         bool everywhere = true);

/// In the rest of this case messages call this stream so: as the learner's file does.
void name_stream(cudaStream_t stream, const std::string &name);

/// The same for several: "streams[#]" names them streams[0], streams[1], …
void name_streams(const std::vector<cudaStream_t> &streams, const std::string &pattern);

/// What all kernels of an observation did with one kind of memory.
emu::AccessCounts total(const emu::Observation &seen, emu::Access access);

/// The line with most accesses of this kind, of all lanes; null: there are none.
const emu::LineReport *busiest_line(const emu::Observation &seen, emu::Access access);

/// Barriers that each block passed, on average over the blocks whose accesses were counted.
double barriers_per_block(const emu::Observation &seen);

/// How often a thread did such an access, on average over the threads of the blocks that were counted. A bound from
/// above stands beside expect_lanes() where one thread could do the work, and all the others what nobody needs.
double accesses_per_thread(const emu::Observation &seen, emu::Access access);

/// How often a warp made such a request, on average over the warps of the blocks that were counted: one thread that does
/// all makes as many of them as all together.
double requests_per_warp(const emu::Observation &seen, emu::Access access);

/// How often lanes of a warp waited for each other (shuffles, votes, matches, __syncwarp), on average
/// over the warps of the blocks that were counted: see emu::KernelReport::warp_meetings.
double meetings_per_warp(const emu::Observation &seen);

/// Where lanes tell each other what they have loaded: ends the case as failed, with the diagnosis read_again, if kernels
/// have loaded more from global memory than these numbers, a multiple of 32, each once.
void expect_each_loaded_once(const emu::Observation &seen, std::size_t numbers);

/// Where masks are the lesson: ends the case as failed, with the diagnosis active_mask, if a kernel has called
/// __activemask(). It tells which lanes happen to run together, and who takes these for those that have
/// to meet is right by luck. (cg::coalesced_threads() names what it wants: whoever is there.)
void expect_masks_named(const emu::Observation &seen);

/// The bound from below that stands beside those from above: one thread or warp that does everything
/// stays under each expect_at_most(), for its requests are few and cheap. Ends the case as failed,
/// with the diagnosis idle_lanes, unless `lanes` of a warp's 32 take part in such an access, on
/// average; and with idle_warps unless an average warp makes this share of the requests that the
/// busiest one makes (emu::work_spread()). A case of several blocks sees also that all of them work. What an
/// algorithm of Thrust's or CUB's does counts as well shared out.
/// All other observations of the run have to have a fourth as many lanes, on average.
/// @param text    what is wrong then, beside what it was seen to be; may be empty
/// @param spread  [0, 1]; 1: all warps make as many requests; less for trees, whose ends are few
void expect_lanes(const emu::Observation &seen,
                  emu::Access access,
                  double lanes,
                  const std::string &text = {},
                  double spread = 0.5);

/// The same where shared memory is the lesson. An answer whose lanes hand each other their numbers by shuffles does
/// without most of it: its loads from global memory are held to `lanes` instead, and a note says that this is better
/// than what was asked for, unless lanes wait by __syncwarp() for what others store. Better is only who shuffles more often than he goes to shared memory, which one thread's many requests rule out.
void expect_lanes_or_shuffles(const emu::Observation &seen,
                              emu::Access access,
                              double lanes,
                              double spread = 0.5,
                              const std::string &text = {});

/// Ends the case as failed, with the diagnosis worked_on_the_host, unless kernels have touched so many bytes by such
/// accesses; where the host calls the kernels, and has what they work on. Says nothing if not all blocks were counted.
void expect_by_kernels(const emu::Observation &seen,
                       emu::Access access,
                       std::size_t bytes,
                       const std::string &what);

/// Where lanes hand each other numbers in registers: ends the case as failed, with the diagnosis through_shared, if kernels
/// have stored anything in shared memory.
void expect_no_shared(const emu::Observation &seen);

/// Ends the case as failed, with the diagnosis shared_not_used, unless the warps of a block make so
/// many requests of this kind, on average over the blocks whose accesses were counted.
void expect_shared_used(const emu::Observation &seen,
                        emu::Access access,
                        double requests_per_block,
                        const std::string &text);

/// Runs work() under the instruments where there are any, and waits for the device.
///
/// A hazard that is more than a warning ends the case, and the check has the verdict hazard. So does
/// an error of CUDA's, with the verdict fail.
/// @return what was seen; nothing on a GPU
template <class Work> std::optional<emu::Observation> observe(const std::string &part, Work &&work);

/// The same for work that ends with a launch, whose error is asked for, and that is done on the device: a few bytes are
/// all that may come from the host or go there.
template <class Work> std::optional<emu::Observation> launch(const std::string &part, Work &&work);

/// Runs work(), launches and expectations, in several drawn orders: threads and blocks come between
/// each other, most of all before atomics and volatile accesses. An expectation that fails there, and
/// has not failed in the order of every day, gets the diagnosis came_between: a test and a store
/// behind it, each of them atomic, are two steps. Nothing is observed meanwhile; observe() runs its
/// work and that is all. On a GPU work() runs as often, in the orders that there are.
template <class Work> void in_drawn_orders(Work &&work);

/// Runs work(), launches and expectations, and nothing is observed meanwhile: for many blocks, which take too long
/// otherwise.
template <class Work> void unobserved(Work &&work);

/// On a GPU: times work() and ends the case as failed unless it moves `bytes` at `share` or more of
/// the bandwidth measured in this very run. More than the device can do is refused too: then work()
/// has not done its work. On the emulator: does nothing.
template <class Work>
void expect_bandwidth(double bytes, lab::Ceiling ceiling, double share, Work &&work);

namespace detail {

/// A variable of the environment while it lives, and then as before. "": not set.
class Variable {
public:
  Variable() = default;
  Variable(const char *name, const std::string &value) : name_(name) {
    if (const char *before = std::getenv(name))
      before_ = before;
    set(value);
  }
  ~Variable() {
    if (name_)
      set(before_);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  void set(const std::string &value) { // "": as if it were not set
    if (value.empty())
      unsetenv(name_);
    else
      setenv(name_, value.c_str(), 1);
  }
  const char *name_ = nullptr;
  std::string before_;
};

/// One of the drawn orders, while it lives.
class DrawnOrder {
public:
  static constexpr int count = 12;
  /// @param number  [1, count]
  explicit DrawnOrder(int number);
  ~DrawnOrder();
  DrawnOrder(const DrawnOrder &) = delete;
  DrawnOrder &operator=(const DrawnOrder &) = delete;
  /// What runs from here on does so in the same order, with the same inputs, and is observed.
  void observe_again() const;
  /// Whether there is one now.
  static bool here();

private:
  std::uint64_t inputs_; ///< drawn before
};
/// Ends the case, because of a loop that no line is known of.
void end_in_endless_loop();

/// Nothing is observed while it lives.
class Unobserved {
public:
  Unobserved();
  ~Unobserved();
  Unobserved(const Unobserved &) = delete;
  Unobserved &operator=(const Unobserved &) = delete;
};
/// Whether observe() looks at what it runs.
bool observes();
/// Whether nothing of this run was run before, in the order of every day and with kernels that do their work.
bool runs_first();

void report_hazards(const std::string &part, const emu::Observation &seen);
/// Of what was observed last.
void expect_work_on_device(const std::string &part);
[[noreturn]] void report_error(const std::string &part,
                               const std::optional<emu::Observation> &seen,
                               const std::exception_ptr &thrown);
bool can_measure();
void judge_bandwidth(double bytes, double ms, lab::Ceiling ceiling, double share);

} // namespace detail

template <class Work>
std::optional<emu::Observation> observe(const std::string &part, Work &&work) {
  const lab::ObservedPart named(part);
  if (!detail::observes()) {
    work();
    LAB_CHECK(cudaDeviceSynchronize());
    return std::nullopt;
  }
  std::exception_ptr thrown; // told after the hazard that it may be a consequence of
  auto seen = lab::observe([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  if (seen)
    detail::report_hazards(part, *seen);
  if (thrown)
    detail::report_error(part, seen, thrown);
  return seen;
}

template <class Work> std::optional<emu::Observation> launch(const std::string &part, Work &&work) {
  auto seen = observe(part, [&] {
    work();
    LAB_CHECK_LAUNCH();
  });
  if (seen)
    detail::expect_work_on_device(part);
  return seen;
}

template <class Work> void in_drawn_orders(Work &&work) {
  for (int number = 1; number <= detail::DrawnOrder::count; ++number) {
    detail::DrawnOrder order(number);
    try {
      work();
    } catch (const lab::CudaError &error) {
      if (error.code() != cudaErrorLaunchTimeout)
        throw;
      order.observe_again(); // who looks on can name the loop
      work();
      detail::end_in_endless_loop();
    }
  }
}

template <class Work> void unobserved(Work &&work) {
  const detail::Unobserved here;
  work();
}

template <class Work>
void expect_bandwidth(double bytes, lab::Ceiling ceiling, double share, Work &&work) {
  if (detail::can_measure())
    detail::judge_bandwidth(bytes, lab::measure(work).median_ms, ceiling, share);
}

} // namespace checker
