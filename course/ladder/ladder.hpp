/// @file
/// The ladder: a chapter's steps, registered once, then verified, timed and shown.
///
/// @code
/// int main(int argc, char **argv) {
///   lab::Ladder<Reduction> ladder("05_reduction", "sum of n 32-bit integers");
///   ladder.sizes({.emulator = 1u << 20, .gpu = 1u << 28, .check = {0, 1, 33, 1000003}});
///   ladder.blocks({.check = {32, 64, 1024}, .timed = 256});
///   ladder.moves([](const Reduction &p) { return 4.0 * p.n; }, lab::Ceiling::read);
///   ladder.step("v0_interleaved_modulo", run_v0);
///   ladder.trap("trap_dropped_tail", run_trap, "what goes wrong").exposed_by({33, 32});
///   ladder.rival("cub_device_reduce", run_cub);
///   return ladder.main(argc, argv);
/// }
/// @endcode
///
/// `Problem` is the chapter's data at one size:
/// @code
/// struct Reduction {
///   explicit Reduction(const lab::Case &c); // allocates, draws input, computes what is right
///   void prepare();      // poisons the outputs; called before every checked run
///   lab::Verdict check(); // compares; called after the run has ended
///   int block;           // only if blocks() is used: the threads per block to use
/// };
/// @endcode
#pragma once

#include "common/compare.hpp"
#include "common/timer.hpp"

#include "ladder/ceiling.hpp"
#include "ladder/detail/ladder_core.hpp"
#include "ladder/observe.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lab {

/// What one step may add to its registration; every call returns the step again.
template <class Problem> class StepOptions {
public:
  explicit StepOptions(detail::Entry &entry) : entry_(entry) {}

  /// Checks this step with `check` instead of Problem::check().
  StepOptions &check(Verdict (*check)(Problem &)) {
    entry_.check = detail::make_hook<Problem>(check);
    return *this;
  }
  /// Runs before each run and is never timed: restores what the step destroys.
  StepOptions &before(void (*before)(Problem &)) {
    entry_.before = detail::make_hook<Problem>(before);
    return *this;
  }
  /// The one block size this step takes, in checks and timing alike.
  StepOptions &block(int threads) {
    entry_.fixed_block = threads;
    return *this;
  }
  /// Timed with this block size, whatever --block says; checked with all of them as usual.
  StepOptions &timed_with(int threads) {
    entry_.timed_block = threads;
    return *this;
  }
  /// Useful bytes this step moves, if not what Ladder::moves says.
  StepOptions &moves(double (*bytes)(const Problem &), Ceiling ceiling) {
    entry_.bytes = detail::make_const_hook<Problem>(bytes);
    entry_.ceiling = ceiling;
    return *this;
  }
  /// Floating-point operations of this step: shown as TFLOP/s.
  StepOptions &computes(double (*flops)(const Problem &)) {
    entry_.flops = detail::make_const_hook<Problem>(flops);
    return *this;
  }
  /// What the whole ladder is measured by: the last step is compared with it under the table.
  StepOptions &yardstick() {
    entry_.yardstick = true;
    return *this;
  }
  /// Beside the ladder: no step is compared with this one, and this one with none.
  StepOptions &aside() {
    entry_.aside = true;
    return *this;
  }
  /// Skipped where it is observed, for this reason: its results are right on the emulator, but what is counted there
  /// is not what a GPU does.
  StepOptions &not_observed(const char *reason) {
    if (being_observed())
      entry_.skip_reason = reason;
    return *this;
  }
  /// Traps: the smallest input that shows the mistake. None goes without.
  StepOptions &exposed_by(const Case &smallest) {
    entry_.exposed_by = smallest;
    entry_.is_exposed = true;
    return *this;
  }
  /// Traps: what the instruments find when they look on, an emu::Hazard's kind. Without it: nothing.
  StepOptions &hazard(const char *kind) {
    entry_.hazard = kind;
    return *this;
  }
  /// Traps: what the mistake does is undefined, so it may come out right. Tried this many times.
  StepOptions &may_be_right(int tries = 20) {
    entry_.may_be_right = true;
    entry_.tries = tries;
    return *this;
  }
  /// What is recorded of this step on a GPU, where it is not what Ladder::recorded says.
  StepOptions &recorded(const RecordedPart &part) {
    entry_.recorded = part;
    return *this;
  }

private:
  detail::Entry &entry_;
};

/// What a demo may add to its registration.
class DemoOptions {
public:
  explicit DemoOptions(detail::Entry &entry) : entry_(entry) {}

  /// Its launches are the same on every device: the hardware's counts of them are recorded.
  DemoOptions &counted() { return recorded({}); }
  /// What is recorded of this demo on a GPU besides what it prints and finds.
  DemoOptions &recorded(const RecordedPart &part) {
    entry_.recorded = part;
    return *this;
  }

private:
  detail::Entry &entry_;
};

/// Checks ways of doing the same, each with `run` and perhaps with `before`, which is not timed. Where times are to be
/// taken, times them in turn. \return their medians in milliseconds, in their order; else nothing
template <class Problem, class Way>
std::vector<double> check_and_time(Demo &demo, Problem &problem, const std::vector<Way> &ways) {
  struct Bound {
    const Way *way;
    Problem *problem;
  };
  constexpr bool has_before = requires(const Way &way) { way.before; };
  std::vector<Bound> bound;
  for (const Way &way : ways) {
    problem.prepare();
    if constexpr (has_before)
      way.before(problem);
    way.run(problem);
    LAB_CHECK_LAUNCH();
    demo.expect(problem.check());
    bound.push_back({&way, &problem});
  }
  std::vector<Contender> contenders;
  for (Bound &each : bound) {
    const auto run = [](void *context) {
      const Bound &b = *static_cast<Bound *>(context);
      b.way->run(*b.problem);
    };
    contenders.push_back({run, &each});
    if constexpr (has_before)
      contenders.back().before = [](void *context) {
        const Bound &b = *static_cast<Bound *>(context);
        b.way->before(*b.problem);
      };
  }
  std::vector<double> times;
  if (demo.timed())
    for (const Timing &timing : measure_interleaved(contenders))
      times.push_back(timing.median_ms);
  return times;
}

/// A chapter's table of steps. Order of registration = order of the table (rivals come last).
template <class Problem> class Ladder {
public:
  Ladder(const char *chapter, const char *title) : core_(chapter, title) {
    core_.create = [](const Case &c) -> void * { return new Problem(c); };
    core_.destroy = [](void *p) { delete static_cast<Problem *>(p); };
    core_.prepare = [](void *p) { static_cast<Problem *>(p)->prepare(); };
    core_.check = [](void *p) -> Verdict {
      if constexpr (requires(Problem & problem) { problem.check(); })
        return static_cast<Problem *>(p)->check();
      else
        return Verdict::wrong("this step has no check: give it one with .check(function)");
    };
  }

  /// Default, largest and checked sizes.
  Ladder &sizes(const Sizes &sizes) {
    core_.set(sizes);
    return *this;
  }
  /// Block sizes: every step is checked with each, and timed with one. Sets Problem::block.
  Ladder &blocks(const Blocks &blocks) {
    core_.set(blocks);
    core_.set_block = [](void *p, int block) { static_cast<Problem *>(p)->block = block; };
    return *this;
  }
  /// What is recorded on a GPU, by tools/record_gpu.py and its neighbours.
  Ladder &recorded(const Recorded &recorded) {
    core_.set(recorded);
    return *this;
  }
  /// Useful bytes that every solution of the problem has to move, and the ceiling that fits.
  Ladder &moves(double (*bytes)(const Problem &), Ceiling ceiling) {
    core_.bytes = detail::make_const_hook<Problem>(bytes);
    core_.ceiling = ceiling;
    return *this;
  }

  /// Floating-point operations that every solution of the problem has to make: its ceiling is the
  /// device's arithmetic, and every row shows TFLOP/s.
  Ladder &computes(double (*flops)(const Problem &)) {
    core_.flops = detail::make_const_hook<Problem>(flops);
    core_.ceiling = Ceiling::fma;
    return *this;
  }

  /// A step of the lesson: run(problem) enqueues the work that is timed.
  StepOptions<Problem> step(const char *name, void (*run)(Problem &)) {
    return StepOptions<Problem>(add(Kind::step, name, run));
  }
  /// A baseline that the host computes: timed by the host's clock, in few runs.
  StepOptions<Problem> cpu(const char *name, void (*run)(Problem &)) {
    return StepOptions<Problem>(add(Kind::cpu, name, run));
  }
  /// The vendor's way: the same check, the same timing, the last row.
  StepOptions<Problem> rival(const char *name, void (*run)(Problem &)) {
    return StepOptions<Problem>(add(Kind::rival, name, run));
  }
  /// A rival that this backend does not have; shown as skipped, with the reason, and counted.
  Ladder &skipped_rival(const char *name, const char *reason) {
    detail::Entry &entry = core_.add(Kind::rival, name);
    entry.skip_reason = reason;
    return *this;
  }
  /// A mistake, run on request only (--only NAME, --traps), which must be shown to be wrong.
  StepOptions<Problem> trap(const char *name, void (*run)(Problem &), const char *why) {
    detail::Entry &entry = add(Kind::trap, name, run);
    entry.why = why;
    return StepOptions<Problem>(entry);
  }
  /// Something to see besides the table, run on request (--only NAME) and, quietly, in checks.
  DemoOptions demo(const char *name, void (*run)(Demo &), const char *title) {
    detail::Entry &entry = core_.add(Kind::demo, name);
    entry.demo = run;
    entry.why = title;
    return DemoOptions(entry);
  }

  /// Parses the options and does what they ask; returns the program's exit code.
  int main(int argc, char **argv) { return core_.main(argc, argv); }

private:
  detail::Entry &add(Kind kind, const char *name, void (*run)(Problem &)) {
    detail::Entry &entry = core_.add(kind, name);
    entry.run = detail::make_hook<Problem>(run);
    return entry;
  }

  detail::LadderCore core_;
};

} // namespace lab
