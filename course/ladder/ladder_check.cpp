#include "ladder/detail/ladder_check.hpp"
#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/device.hpp"
#include "ladder/observe.hpp"

#include <cstdarg>
#include <cstdio>
#include <new>

namespace lab {

void Demo::say(const char *format, ...) {
  if (quiet_)
    return;
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

void Demo::say_figure(const char *format, double figure) {
  if (!quiet_)
    std::printf(format, figure);
}

bool Demo::timed() const { return !on_emulator() && !quick_; }

void Demo::value(const std::string &name, double figure) { values_.emplace_back(name, figure); }

void Demo::expect(bool holds, const char *claim) {
  if (!holds)
    broken_.push_back(claim);
}

void Demo::expect(const Verdict &verdict) {
  if (!verdict.ok)
    broken_.push_back(verdict.message);
}

namespace detail {

Verdict run_and_check(const LadderCore &core, const Entry &entry, void *problem) {
  core.prepare(problem);
  if (entry.before)
    entry.before(problem);
  {
    const ObservedPart part(entry.name);
    entry.run(problem);
    LAB_CHECK(cudaDeviceSynchronize());
  }
  const std::string written = written_behind_buffers();
  const Verdict verdict = entry.check ? entry.check(problem) : core.check(problem);
  return verdict.ok && !written.empty() ? Verdict::wrong(written) : verdict;
}

namespace {

std::string place(const Case &c) {
  std::string text = place_text(c.n, c.shape);
  if (c.block > 0)
    text += ", " + std::to_string(c.block) + " threads per block";
  return text;
}

/// The block sizes an entry is checked with; {0} where the chapter knows none.
std::vector<int> blocks_of(const LadderCore &core, const Entry &entry, const Options &options) {
  if (entry.fixed_block > 0)
    return {entry.fixed_block};
  if (options.block > 0)
    return {options.block};
  if (being_observed())
    return {timed_block(core, entry, options)};
  return core.blocks.check.empty() ? std::vector<int>{0} : core.blocks.check;
}

void check_case(const LadderCore &core, EntryResult &step, void *problem, const Case &c) {
  if (core.set_block && c.block > 0)
    core.set_block(problem, c.block);
  Verdict verdict;
  try {
    verdict = run_and_check(core, *step.entry, problem);
  } catch (const CudaError &error) {
    throw Error(1, step.entry->name + " failed at " + place(c) + "\n" + error.what());
  }
  ++step.cases;
  if (verdict.ok)
    ++step.right;
  else if (step.first_failure.empty())
    step.first_failure = place(c) + ": " + verdict.message;
}

/// What is checked: squares and, in chapters about matrices, other shapes.
std::vector<Case> checked_cases(const LadderCore &core, const RunResult &result) {
  const int block = core.blocks.check.empty() ? 0 : core.blocks.timed;
  std::vector<Case> cases;
  for (std::size_t n : result.checked_sizes)
    cases.push_back({.n = n, .block = block, .seed = result.seed});
  for (const Shape &shape : result.checked_shapes)
    cases.push_back({.n = 0, .block = block, .seed = result.seed, .shape = shape});
  return cases;
}

} // namespace

int timed_block(const LadderCore &core, const Entry &entry, const Options &options) {
  if (core.blocks.check.empty())
    return 0;
  if (entry.fixed_block > 0)
    return entry.fixed_block;
  if (entry.timed_block > 0)
    return entry.timed_block;
  return options.block > 0 ? options.block : core.blocks.timed;
}

std::vector<std::string> in_shares(std::size_t parts,
                                   const std::function<void(emu::Share &)> &work) {
  std::vector<std::string> told = emu::in_shares(parts, [&](emu::Share &share) {
    try {
      work(share);
    } catch (const Error &error) {
      share.failed("! " + std::to_string(error.exit_code()) + " " + error.what());
    } catch (const std::bad_alloc &) {
      share.failed("!");
    }
  });
  if (told.empty() || !told.back().starts_with("!"))
    return told;
  int exit_code = 0, length = 0;
  if (std::sscanf(told.back().c_str(), "! %d %n", &exit_code, &length) != 1)
    throw std::bad_alloc();
  throw Error(exit_code, told.back().substr(static_cast<std::size_t>(length)));
}

void check_steps(const LadderCore &core, const Options &options, RunResult &result) {
  std::vector<EntryResult *> steps;
  for (EntryResult &step : result.steps)
    if (!step.skipped())
      steps.push_back(&step);
  for (Case &c : checked_cases(core, result)) {
    const auto told = in_shares(steps.size(), [&](emu::Share &share) {
      ProblemHandle problem(core, c);
      for (std::size_t i = 0; share.next(i);) {
        EntryResult step;
        step.entry = steps[i]->entry;
        for (int block : blocks_of(core, *step.entry, options)) {
          c.block = block;
          check_case(core, step, problem.get(), c);
          if (step.entry->kind == Kind::cpu)
            break; // the host has no blocks
        }
        share.done(std::to_string(step.cases) + " " + std::to_string(step.right) + " " +
                   step.first_failure);
      }
    });
    for (std::size_t i = 0; i < told.size(); ++i) {
      int cases = 0, right = 0, length = 0;
      std::sscanf(told[i].c_str(), "%d %d %n", &cases, &right, &length);
      steps[i]->cases += cases;
      steps[i]->right += right;
      if (steps[i]->first_failure.empty())
        steps[i]->first_failure = told[i].substr(static_cast<std::size_t>(length));
    }
  }
}

TrapResult run_trap(const LadderCore &core, const Entry &entry, std::uint64_t seed) {
  TrapResult trap;
  trap.entry = &entry;
  Case c = entry.exposed_by;
  c.seed = seed;
  bool reset = false;
  const int tries = being_observed() ? 1 : entry.tries; // the instruments need no second one
  for (; trap.tries < tries && !reset; ++trap.tries) {
    Verdict verdict;
    {
      ProblemHandle problem(core, c);
      if (core.set_block && c.block > 0)
        core.set_block(problem.get(), c.block);
      try {
        if (!being_observed())
          spoil_shared_memory(); // what a trap reads too early was never kind to it
        verdict = run_and_check(core, entry, problem.get());
      } catch (const CudaError &error) {
        // Refused by CUDA or stopped while it ran: shown, but the device needs a fresh start.
        verdict = Verdict::wrong(std::string(cudaGetErrorName(error.code())) + ": " +
                                 cudaGetErrorString(error.code()));
        reset = true;
      }
    }
    if (!verdict.ok && trap.wrong++ == 0)
      trap.mismatch = verdict.message;
  }
  if (reset) {
    (void)cudaDeviceReset();
    (void)cudaGetLastError();
    forget_guarded_buffers();
  }
  return trap;
}

DemoResult run_demo(const Entry &entry, const Options &options) {
  const bool quiet = options.check_only;
  if (!quiet)
    std::printf("%s: %s\n\n", entry.name.c_str(), std::string(entry.why).c_str());
  Demo demo(quiet, quiet || being_observed(), options.n_given, options.n, options.seed);
  const ObservedPart part(entry.name);
  entry.demo(demo);
  if (!quiet)
    std::printf("\n");
  return {&entry, demo.broken(), demo.values()};
}

} // namespace detail
} // namespace lab
