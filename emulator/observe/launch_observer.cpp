#include "launch_observer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <unistd.h>
#include <utility>

#include "../src/engine/drawn_order.hpp"
#include "../src/engine/surroundings.hpp"
#include "../src/memory/allocations.hpp"
#include "array_names.hpp"
#include "host_shadows.hpp"
#include "recorder.hpp"

namespace emu {

namespace {

// The engine's thread-local variables, such as threadIdx. Kernels can have none of their own.
Stretch find_thread_variables() {
  Stretch found;
  const auto first_is_the_program = [](dl_phdr_info *info, size_t, void *result) {
    auto *variables = static_cast<Stretch *>(result);
    variables->base = static_cast<const char *>(info->dlpi_tls_data);
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (info->dlpi_phdr[i].p_type == PT_TLS)
        variables->bytes = info->dlpi_phdr[i].p_memsz;
    return 1; // no more
  };
  dl_iterate_phdr(first_is_the_program, &found);
  return found;
}

} // namespace

bool LaunchObserver::is_observing() const { return recorder_.on(); }
bool LaunchObserver::is_looking() const { return looking; }

std::unique_ptr<BlockWatcher> LaunchObserver::watch_blocks() {
  const Look look; // operator new may be the program's own
  return std::make_unique<BlockObserver>(static_cast<LaunchState &>(*this), recorder_);
}

void LaunchObserver::start() {
  only_traced = std::getenv("EMU_OBSERVE_BLOCKS") != nullptr;
  blocks_to_trace_ = static_cast<uint64_t>(count_from_environment(
      "EMU_OBSERVE_BLOCKS", count_from_environment("EMU_OBSERVE_COUNTED", 8)));
  draw_ = DrawnOrder(static_cast<uint64_t>(count_from_environment("EMU_OBSERVE_DRAW", 0)));
  progress_after_ = seconds_from_environment("EMU_OBSERVE_PROGRESS", isatty(STDERR_FILENO) ? 2 : 0);
  next_progress_ =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(progress_after_));
  step_limit = static_cast<uint64_t>(count_from_environment("EMU_STEP_LIMIT", 400'000'000));
}

void LaunchObserver::launch_begins(const char *name,
                                   const LaunchConfig &its_config,
                                   const KernelBody &body) {
  parameters = {static_cast<const char *>(body.body), body.parameter_bytes};
  if (recorder_.on())
    recorder_.shadow_uses().launched(name, parameters);
  const LockedLook look;
  running_kernel = name;
  config = its_config;
  array_names().launch_begins(body);
  thread_variables = find_thread_variables();
  drawn = drawn_order().drawn();
  blocks_ended_ = blocks_traced = 0;
  launch_began_ = Clock::now();
  if (all_blocks_ended_ == 0)
    began_ = launch_began_;
  blocks = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  // The traced blocks are spread over the grid; the first and the last, which may be ragged, are
  // among them.
  traced.clear();
  const uint64_t wanted = std::min(blocks_to_trace_, blocks);
  const auto nth = [&](uint64_t i) { return wanted > 1 ? i * (blocks - 1) / (wanted - 1) : 0; };
  for (uint64_t i = 0; i < wanted; ++i) {
    const bool drawn_one = draw_.drawn() && i > 0 && i + 1 < wanted;
    traced.insert(nth(i) + (drawn_one ? draw_.below(nth(i + 1) - nth(i)) : 0));
  }
  of_accesses.clear();
  for (Observer *observer : recorder_.observers())
    if (observer->wants() & Observer::accesses)
      of_accesses.push_back(observer);
  recorder_.tell(&Observer::launch_begins,
                 ObservedLaunch{name, config, parameters, is_observing()});
  running_ = {};
  KernelReport &report = running_.report;
  report.name = name;
  report.part = recorder_.part();
  copy_sizes(config.grid, report.grid);
  copy_sizes(config.block, report.block);
  report.least_blocks = config.least_blocks;
  for (const ArgumentShape *shape = body.arguments; shape->bytes != 0; ++shape)
    report.restricted_parameters += shape->is_restricted;
}

void LaunchObserver::launch_ends() {
  recorder_.tell(&Observer::launch_ends);
  const Counters &counters = recorder_.counters();
  running_.accesses = counters.accesses();
  running_.basic_blocks = counters.basic_blocks();
  running_.report.blocks_traced = blocks_traced;
  running_.report.barriers = counters.barriers();
  running_.report.warp_meetings = counters.warp_meetings();
  running_.report.active_masks = counters.active_masks();
  running_.report.busiest_warp = counters.busiest_warp();
  if (is_observing() && looks_at_some()) {
    recorder_.found({"unobserved",
                     true,
                     {},
                     {},
                     std::to_string(traced.size()) + " of " + std::to_string(blocks) +
                         " blocks were looked at, as asked: what the others did was not counted, "
                         "and no hazard was looked for in it"});
    tell_all_memory_written();
  }
  CountedKernel ended = std::exchange(running_, {});
  running_kernel = nullptr;
  if (is_observing())
    recorder_.counted(std::move(ended));
}

void LaunchObserver::grid_met() {
  {
    const Look look;
    recorder_.tell(&Observer::grid_met);
  }
  if (is_observing() && looks_at_some())
    tell_all_memory_written(); // what the other blocks have written is there from now on
}

void LaunchObserver::block_ended() {
  if (interrupted_by != 0 && is_observing()) {
    launch_ends(); // as far as it has come
    report_interrupted();
  }
  ++blocks_ended_;
  if (++all_blocks_ended_ % 64 == 0 && is_observing() && progress_after_ > 0)
    tell_progress();
}

// For who waits: an observed kernel takes some hundred times as long as a plain one.
void LaunchObserver::tell_progress() {
  const Clock::time_point now = Clock::now();
  if (now - began_ < next_progress_)
    return;
  next_progress_ = 2 * (now - began_);
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  std::fprintf(
      stderr,
      "emulator: observing for %.0f s: kernel %s has %llu of %llu blocks, and about %.0f s to "
      "go; --blocks N looks at N of them only\n",
      seconds(now - began_),
      running_kernel,
      static_cast<unsigned long long>(blocks_ended_),
      static_cast<unsigned long long>(blocks),
      seconds(now - launch_began_) * static_cast<double>(blocks - blocks_ended_) /
          static_cast<double>(blocks_ended_));
}

void LaunchObserver::complained(const Complaint &complaint) {
  const Look look;
  const bool warning = std::strcmp(complaint.kind, "exited_at_barrier") == 0 ||
                       std::strcmp(complaint.kind, "absent_lanes") == 0;
  recorder_.found({complaint.kind, warning, complaint.here, complaint.other, complaint.text});
}

} // namespace emu
