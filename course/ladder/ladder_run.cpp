#include "common/check.hpp"
#include "common/device.hpp"
#include "common/timer.hpp"
#include "ladder/detail/ladder_check.hpp"
#include "ladder/detail/ladder_counters.hpp"
#include "ladder/detail/ladder_options.hpp"
#include "ladder/detail/ladder_result.hpp"
#include "ladder/observe.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace lab::detail {
namespace {

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

double ceiling_gbps(const RunResult &result, Ceiling ceiling) {
  if (!result.has_ceilings)
    return 0.0;
  return ceiling == Ceiling::copy   ? result.ceilings.copy_gbps
         : ceiling == Ceiling::read ? result.ceilings.read_gbps
                                    : 0.0;
}

/// Times every step that is right; the steps on the device in turn, those on the host alone.
void time_steps(const LadderCore &core, const Options &options, RunResult &result) {
  const Case c{.n = result.n, .block = result.block, .seed = result.seed, .shape = result.shape};
  ProblemHandle problem(core, c);
  core.prepare(problem.get());

  double bytes = core.bytes ? core.bytes(problem.get()) : 0.0;
  const double flops = core.flops ? core.flops(problem.get()) : 0.0;
  const double l2_bytes = static_cast<double>(choose_device().l2_bytes);
  result.measured_with.cold_l2 =
      options.l2 == L2::cold ||
      (options.l2 == L2::automatic && !on_emulator() && core.bytes && bytes < 4.0 * l2_bytes);

  std::deque<TimedStep> timed;
  std::vector<EntryResult *> owners;
  std::vector<Contender> contenders;
  for (EntryResult &step : result.steps) {
    const Entry &entry = *step.entry;
    if (step.skipped() || !step.ok())
      continue;
    step.measured = true;
    step.emulated = on_emulator() && entry.kind != Kind::cpu;
    step.block = entry.kind == Kind::cpu ? 0 : timed_block(core, entry, options);
    step.bytes = entry.bytes ? entry.bytes(problem.get()) : bytes;
    step.flops = entry.flops ? entry.flops(problem.get()) : flops;
    step.ceiling = entry.bytes ? entry.ceiling : core.ceiling;
    step.ceiling_gbps = ceiling_gbps(result, step.ceiling);
    step.ceiling_tflops = step.ceiling == Ceiling::fma ? result.fma_tflops : 0.0;
    timed.push_back({&core, &entry, problem.get(), step.block});
    if (entry.kind == Kind::cpu) {
      step.timing = time_on_host(timed.back());
      continue;
    }
    contenders.push_back({TimedStep::work, &timed.back(), TimedStep::before});
    owners.push_back(&step);
  }
  const std::vector<Timing> timings = measure_interleaved(contenders, result.measured_with);
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i]->timing = timings[i];
}

void write_file(const std::string &path, const std::string &text) {
  if (!(std::ofstream(path) << text << std::flush))
    throw Error(1, "cannot write " + path + ": does its folder exist, is there room?");
}

/// On the emulator a time says nothing: one run is enough.
MeasureOptions how_to_measure(const Options &options) {
  MeasureOptions how;
  how.reps = options.reps > 0 ? options.reps : on_emulator() ? 1 : 21;
  how.warm_up = on_emulator() ? 0 : 3;
  how.min_ms = 1e3 * options.min_time_s;
  if (options.max_noise_percent || !on_emulator())
    how.max_noise_percent = options.max_noise_percent.value_or(5.0);
  how.timeout_ms = options.timeout_s ? 1e3 * *options.timeout_s : std::max(1e3, 2.0 * how.min_ms);
  return how;
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
  result.n = options.n_given ? options.n : at_full_size() ? core.sizes.gpu : core.sizes.emulator;
  result.shape = options.n_given ? options.shape : Shape{result.n, result.n};
  result.seed = options.seed;
  result.measured_with = how_to_measure(options);
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
  if (being_observed()) { // once, and not at the sizes that only a check needs
    result.checked_sizes.clear();
    result.checked_shapes.clear();
    if (result.shape.square())
      result.checked_sizes = {result.n};
    else
      result.checked_shapes = {result.shape};
  }
  if (!core.blocks.check.empty() && being_observed())
    result.checked_blocks = {result.block};
  else if (!core.blocks.check.empty())
    result.checked_blocks = options.block > 0 ? std::vector<int>{options.block} : core.blocks.check;
  return result;
}

/// A trap without an input would run at size 0, with blocks of 0 threads: it would show nothing, or
/// divide by zero. Whoever adds one is told in any run.
void demand_inputs_of_traps(const LadderCore &core) {
  for (const Entry &entry : core.entries)
    if (entry.kind == Kind::trap && !entry.is_exposed)
      throw Error(1,
                  core.chapter + ": the trap " + entry.name +
                      " does not say which input shows its mistake: add .exposed_by({.n = …})");
}

/// "n = 4096", "8190 x 8194 elements", "n = 4096 on 2 devices"
std::string size_text(const RunResult &result) {
  const auto text = [](std::size_t number) { return std::to_string(number); };
  std::string size = "n = " + text(result.n);
  if (!result.shape.square())
    size = text(result.shape.rows) + " x " + text(result.shape.cols) + " elements";
  int devices = 1;
  LAB_CHECK(cudaGetDeviceCount(&devices));
  return devices > 1 ? size + " on " + std::to_string(devices) + " devices" : size;
}

/// Launches what every step launches in a timed run, for the time model. Says for which size, in its first line.
int launch_steps(const LadderCore &core,
                 const Options &options,
                 const std::vector<const Entry *> &selected) {
  const RunResult result = describe_run(core, options);
  const Case c{.n = result.n, .block = result.block, .seed = result.seed, .shape = result.shape};
  std::printf("%s\n", size_text(result).c_str());
  std::fflush(stdout);
  ProblemHandle problem(core, c);
  for (const Entry *entry : selected) {
    if (entry->kind != Kind::step || !entry->skip_reason.empty())
      continue;
    TimedStep step{&core, entry, problem.get(), timed_block(core, *entry, options)};
    TimedStep::before(&step);
    const ObservedPart part(entry->name);
    TimedStep::work(&step);
    LAB_CHECK(cudaDeviceSynchronize());
  }
  return 0;
}

int run(const LadderCore &core, const Options &options) {
  demand_inputs_of_traps(core);
  if (options.hazards)
    return look_for_hazards(core, options);
  if (!can_observe()) // the instruments see more
    guard_buffers();
  const std::vector<const Entry *> selected = select_entries(core, options);
  if (being_modelled())
    return launch_steps(core, options, selected);
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
    if (!options.check_only && !being_observed()) {
      if (!options.counted_by.empty())
        count_steps(options, result);
      if (!on_emulator() && core.ceiling == Ceiling::fma)
        result.fma_tflops = fma_tflops();
      else if (!on_emulator() && core.ceiling != Ceiling::none) {
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
  if (options.only.empty() && !options.traps && !options.check_only && !being_observed())
    std::printf("%s", more_text(core).c_str());
  if (!options.json.empty())
    write_file(options.json, json_text(result));
  return result.all_right() ? 0 : 1;
}

} // namespace

LadderCore::LadderCore(const char *chapter, const char *title) : chapter(chapter), title(title) {}
LadderCore::LadderCore(LadderCore &&) = default;
LadderCore::~LadderCore() = default;
void LadderCore::set(const Sizes &given) { sizes = given; }
void LadderCore::set(const Blocks &given) { blocks = given; }
void LadderCore::set(const Recorded &given) { recorded = given; }

Entry &LadderCore::add(Kind kind, const char *name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      throw Error(1, chapter + ": two steps are called " + name);
  entries.emplace_back();
  entries.back().kind = kind;
  entries.back().name = name;
  entries.back().recorded.counted = kind == Kind::step;
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
          if (options.json.empty())
            std::printf("%s", list_text(*core).c_str());
          else
            write_file(options.json, list_json(*core));
          return 0;
        }
        return run(*core, options);
      },
      argc,
      argv);
}

} // namespace lab::detail
