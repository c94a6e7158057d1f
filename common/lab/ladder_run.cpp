#include "lab/check.hpp"
#include "lab/detail/ladder_options.hpp"
#include "lab/detail/ladder_result.hpp"
#include "lab/device.hpp"
#include "lab/timer.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <memory>

namespace lab {
namespace {

CounterSource &counter_source() {
  static CounterSource source;
  return source;
}

} // namespace

void set_counter_source(const CounterSource &source) { counter_source() = source; }

void Demo::say(const char *format, ...) {
  if (quiet_)
    return;
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

void Demo::value(const char *name, double figure) { values_.emplace_back(name, figure); }

void Demo::expect(bool holds, const char *claim) {
  if (!holds)
    broken_.push_back(claim);
}

void Demo::expect(const Verdict &verdict) {
  if (!verdict.ok)
    broken_.push_back(verdict.message);
}

namespace detail {
namespace {

/// A Problem behind a void pointer, destroyed at the end of the scope.
class ProblemHandle {
public:
  ProblemHandle(const LadderCore &core, const Case &c) : core_(core), pointer_(core.create(c)) {}
  ~ProblemHandle() { core_.destroy(pointer_); }
  ProblemHandle(const ProblemHandle &) = delete;
  ProblemHandle &operator=(const ProblemHandle &) = delete;
  void *get() const { return pointer_; }

private:
  const LadderCore &core_;
  void *pointer_;
};

/// One checked run: outputs poisoned, work done and waited for, outputs compared.
Verdict run_and_check(const LadderCore &core, const Entry &entry, void *problem) {
  core.prepare(problem);
  if (entry.before)
    entry.before(problem);
  entry.run(problem);
  LAB_CHECK(cudaDeviceSynchronize());
  return entry.check ? entry.check(problem) : core.check(problem);
}

std::string place(const Case &c) {
  std::string text = place_text(c.n, c.shape);
  if (c.block > 0)
    text += ", " + std::to_string(c.block) + " threads a block";
  return text;
}

/// The block sizes an entry is checked with; {0} where the chapter knows none.
std::vector<int> blocks_of(const LadderCore &core, const Entry &entry, const Options &options) {
  if (entry.fixed_block > 0)
    return {entry.fixed_block};
  if (options.block > 0)
    return {options.block};
  return core.blocks.check.empty() ? std::vector<int>{0} : core.blocks.check;
}

int timed_block(const LadderCore &core, const Entry &entry, const Options &options) {
  if (core.blocks.check.empty())
    return 0;
  if (entry.fixed_block > 0)
    return entry.fixed_block;
  if (entry.timed_block > 0)
    return entry.timed_block;
  return options.block > 0 ? options.block : core.blocks.timed;
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

/// Checks all steps at all sizes, with all block sizes each of them takes.
void check_steps(const LadderCore &core, const Options &options, RunResult &result) {
  for (Case &c : checked_cases(core, result)) {
    ProblemHandle problem(core, c);
    for (EntryResult &step : result.steps) {
      if (step.skipped())
        continue;
      for (int block : blocks_of(core, *step.entry, options)) {
        c.block = block;
        check_case(core, step, problem.get(), c);
        if (step.entry->kind == Kind::cpu)
          break; // the host has no blocks
      }
    }
  }
}

/// What Contender's void pointer points to.
struct TimedStep {
  const LadderCore *core;
  const Entry *entry;
  void *problem;
  int block;

  static void work(void *self) {
    const TimedStep &step = *static_cast<TimedStep *>(self);
    step.entry->run(step.problem);
  }
  static void before(void *self) {
    const TimedStep &step = *static_cast<TimedStep *>(self);
    if (step.core->set_block && step.block > 0)
      step.core->set_block(step.problem, step.block);
    if (step.entry->before)
      step.entry->before(step.problem);
  }
};

Timing time_on_host(TimedStep &step) {
  std::vector<double> times;
  double total = 0.0;
  while (times.size() < 3 && total < 2000.0) {
    TimedStep::before(&step);
    LAB_CHECK(cudaDeviceSynchronize());
    const HostTimer timer;
    TimedStep::work(&step);
    times.push_back(timer.ms());
    total += times.back();
  }
  return summarize(times);
}

/// One more run of a step, between the two calls of the registered instruments.
std::vector<Counter> count(TimedStep &step) {
  const CounterSource &source = counter_source();
  if (!source.begin || !source.end)
    return {};
  TimedStep::before(&step);
  source.begin();
  TimedStep::work(&step);
  LAB_CHECK(cudaDeviceSynchronize());
  return source.end();
}

double ceiling_gbps(const RunResult &result, Ceiling ceiling) {
  if (!result.has_ceilings || ceiling == Ceiling::none)
    return 0.0;
  return ceiling == Ceiling::copy ? result.ceilings.copy_gbps : result.ceilings.read_gbps;
}

/// Times every step that is right; the steps on the device in turn, those on the host alone.
void time_steps(const LadderCore &core, const Options &options, RunResult &result) {
  const Case c{.n = result.n, .block = result.block, .seed = result.seed, .shape = result.shape};
  ProblemHandle problem(core, c);
  core.prepare(problem.get());

  double bytes = core.bytes ? core.bytes(problem.get()) : 0.0;
  const double l2_bytes = static_cast<double>(choose_device().l2_bytes);
  result.cold_l2 = options.l2 == L2::cold ||
                   (options.l2 == L2::automatic && !on_emulator() && bytes < 4.0 * l2_bytes);

  std::deque<TimedStep> timed;
  std::vector<EntryResult *> owners;
  std::vector<Contender> contenders;
  for (EntryResult &step : result.steps) {
    const Entry &entry = *step.entry;
    if (step.skipped() || !step.ok() || !entry.timed)
      continue;
    step.measured = true;
    step.emulated = on_emulator() && entry.kind != Kind::cpu;
    step.block = entry.kind == Kind::cpu ? 0 : timed_block(core, entry, options);
    step.bytes = entry.bytes ? entry.bytes(problem.get()) : bytes;
    step.flops = entry.flops ? entry.flops(problem.get()) : 0.0;
    step.ceiling = entry.bytes ? entry.ceiling : core.ceiling;
    step.ceiling_gbps = ceiling_gbps(result, step.ceiling);
    timed.push_back({&core, &entry, problem.get(), step.block});
    if (entry.kind == Kind::cpu) {
      step.timing = time_on_host(timed.back());
      continue;
    }
    step.counters = count(timed.back());
    contenders.push_back({TimedStep::work, &timed.back(), TimedStep::before});
    owners.push_back(&step);
  }
  const MeasureOptions measure_options{
      .reps = result.reps, .warm_up = on_emulator() ? 0 : 3, .cold_l2 = result.cold_l2};
  const std::vector<Timing> timings = measure_interleaved(contenders, measure_options);
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i]->timing = timings[i];
}

TrapResult run_trap(const LadderCore &core, const Entry &entry, std::uint64_t seed) {
  TrapResult trap;
  trap.entry = &entry;
  Case c = entry.exposed_by;
  c.seed = seed;
  bool reset = false;
  for (; trap.tries < entry.tries && !reset; ++trap.tries) {
    Verdict verdict;
    {
      ProblemHandle problem(core, c);
      if (core.set_block && c.block > 0)
        core.set_block(problem.get(), c.block);
      try {
        verdict = run_and_check(core, entry, problem.get());
      } catch (const CudaError &error) {
        // Refused by CUDA or stopped while it ran: shown, but the device needs a fresh start.
        verdict = Verdict::wrong(error.what());
        reset = true;
      }
    }
    if (!verdict.ok && trap.wrong++ == 0)
      trap.mismatch = verdict.message;
  }
  if (reset) {
    (void)cudaDeviceReset();
    (void)cudaGetLastError();
  }
  return trap;
}

DemoResult run_demo(const Entry &entry, const Options &options) {
  const bool quiet = options.check_only;
  if (!quiet)
    std::printf("%s: %s\n\n", entry.name.c_str(), entry.why.c_str());
  Demo demo(quiet, options.n_given, options.n, options.seed);
  entry.demo(demo);
  if (!quiet)
    std::printf("\n");
  return {&entry, demo.broken(), demo.values()};
}

void write_file(const std::string &path, const std::string &text) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    throw Error(1, "cannot write " + path + ": does its folder exist, is there room?");
}

RunResult describe_run(const LadderCore &core, const Options &options) {
  const Device &device = choose_device();
  RunResult result;
  result.chapter = core.chapter;
  result.title = core.title;
  result.backend = backend();
  result.device = device.name;
  result.driver = device.driver;
  result.toolkit = device.toolkit;
  result.device_summary = summary(device);
  result.n = options.n_given ? options.n : on_emulator() ? core.sizes.emulator : core.sizes.gpu;
  result.shape = options.n_given ? options.shape : Shape{result.n, result.n};
  result.seed = options.seed;
  result.reps = options.reps > 0 ? options.reps : on_emulator() ? 1 : 21;
  if (!core.blocks.check.empty())
    result.block = options.block > 0 ? options.block : core.blocks.timed;
  if (!options.n_given) {
    result.checked_sizes = core.sizes.check;
    result.checked_shapes = core.sizes.shapes;
  }
  if (!result.shape.square())
    result.checked_shapes.push_back(result.shape);
  else if (options.n_given || !options.check_only || result.checked_sizes.empty())
    result.checked_sizes.push_back(result.n);
  if (!core.blocks.check.empty())
    result.checked_blocks = options.block > 0 ? std::vector<int>{options.block} : core.blocks.check;
  return result;
}

int run(const LadderCore &core, const Options &options) {
  const std::vector<const Entry *> selected = select_entries(core, options);
  RunResult result = describe_run(core, options);
  const Colours colours = terminal_colours();
  for (const Entry *entry : selected)
    if (entry->kind != Kind::trap && entry->kind != Kind::demo) {
      result.steps.emplace_back();
      result.steps.back().entry = entry;
    }
  std::printf("%s\n", header_text(result).c_str());
  std::fflush(stdout);

  if (!result.steps.empty()) {
    check_steps(core, options, result);
    std::printf("%s\n", check_text(result, colours).c_str());
    std::fflush(stdout);
    if (!options.check_only) {
      result.timed = true;
      if (!on_emulator() && core.ceiling != Ceiling::none) {
        result.ceilings = ceilings();
        result.has_ceilings = true;
      }
      time_steps(core, options, result);
      std::printf("%s", table_text(result, colours).c_str());
    }
  }
  for (const Entry *entry : selected) {
    if (entry->kind == Kind::demo)
      result.demos.push_back(run_demo(*entry, options));
    if (entry->kind == Kind::trap) {
      result.traps.push_back(run_trap(core, *entry, result.seed));
      std::printf("%s\n", trap_text(result.traps.back(), colours).c_str());
    }
  }
  for (const DemoResult &demo : result.demos)
    for (const std::string &claim : demo.broken)
      std::printf("%s: WRONG: %s\n", demo.entry->name.c_str(), claim.c_str());
  if (options.only.empty() && !options.traps && !options.check_only)
    std::printf("%s", more_text(core).c_str());
  if (!options.json.empty())
    write_file(options.json, json_text(result));
  return result.all_right() ? 0 : 1;
}

} // namespace

Entry &LadderCore::add(Kind kind, const char *name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      throw Error(1, chapter + ": two steps are called " + name);
  entries.emplace_back();
  entries.back().kind = kind;
  entries.back().name = name;
  return entries.back();
}

int LadderCore::main(int argc, char **argv) {
  static const LadderCore *core = nullptr; // guarded_main takes a plain function
  core = this;
  return guarded_main(
      [](int count, char **values) {
        const Options options = parse_options(count, values, *core);
        if (options.help) {
          std::printf("%s", help_text(*core).c_str());
          return 0;
        }
        if (options.list) {
          std::printf("%s", list_text(*core).c_str());
          return 0;
        }
        return run(*core, options);
      },
      argc,
      argv);
}

} // namespace detail
} // namespace lab
