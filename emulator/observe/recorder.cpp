#include "recorder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <link.h>
#include <utility>

#include "../src/context/devices.hpp"
#include "../src/engine/block.hpp"
#include "../src/engine/drawn_order.hpp"
#include "../src/engine/failures.hpp"
#include "../src/engine/shared_memory.hpp"
#include "../src/memory/allocations.hpp"
#include "../src/memory/device_variables.hpp"
#include "array_names.hpp"
#include "bounds.hpp"
#include "leaks.hpp"
#include "look.hpp"
#include "races.hpp"
#include "task_races.hpp"
#include "timeline_recorder.hpp"
#include "trace_log.hpp"

extern "C" {
extern char __executable_start[], etext[], __data_start[], end[];
// Around the section that `__constant__` names; null in programs without one.
[[gnu::weak]] extern char __start_emu_constant[], __stop_emu_constant[];
}

namespace emu {

namespace {

// A lane that leaves more than this waits for the others of its warp, so that traces stay short.
constexpr size_t longest_trace = 1 << 15;

bool is_global_variable(const char *address) {
  return address >= __executable_start && address < end;
}

// `__constant__` variables, and the tables that the compiler itself made constant.
bool is_constant(const char *address) {
  return (address >= __start_emu_constant && address < __stop_emu_constant) ||
         (address >= etext && address < __data_start);
}

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

constinit thread_local bool looking = false;

// The order in which all of them are told: who finds out what a task has cost before the timeline, who
// keeps what memory holds first.
Recorder::Recorder()
    : bounds_(std::make_unique<Bounds>(*this, shadow_)), races_(std::make_unique<Races>(*this)),
      leaks_(std::make_unique<Leaks>()), task_races_(std::make_unique<TaskRaces>(*this)),
      timeline_(std::make_unique<TimelineRecorder>()) {
  for (Observer *observer : std::initializer_list<Observer *>{bounds_.get(),
                                                              &counters_,
                                                              races_.get(),
                                                              leaks_.get(),
                                                              &links_,
                                                              task_races_.get(),
                                                              &pages_,
                                                              timeline_.get()})
    add(observer);
}

void Recorder::add(Observer *observer) {
  observers_.push_back(observer);
  if (observer->wants() & Observer::host_accesses)
    of_host_accesses_.push_back(observer);
  if (observer->wants() & Observer::requests)
    of_requests_.push_back(observer);
}

Recorder::~Recorder() = default;

// ---------------------------------------------------------------- from the instrumented program

namespace {

// As in_kernel() and the like, which are calls.
bool kernel_runs() { return this_block && this_block->running(); }
// An observed block is in free mode: each of its threads has a fiber that knows it.
int running_thread() { return turn.fiber->thread; }

} // namespace

bool Recorder::belongs_to_the_emulator(const char *address) const {
  // The engine's bookkeeping; a thread's own stack; the launch's parameters.
  return thread_variables_.holds(address) || this_block->owns(address) ||
         parameters_.holds(address);
}

void Recorder::access(const void *where,
                      uint32_t bytes,
                      uint32_t piece,
                      Operation operation,
                      Scope scope,
                      bool is_volatile,
                      uint32_t pc,
                      AtomicSort sort) {
  if (looking)
    return;
  auto *address = static_cast<char *>(const_cast<void *>(where));
  if (!in_block_ || !kernel_runs()) {
    if (!in_block_ && !kernel_runs())
      host_accesses(address, bytes, operation, is_volatile, pc);
    else if (!in_block_ && !on_ && drawn_ && !this_block->owns(address))
      let_others_come(operation, is_volatile);
    return;
  }
  // Mostly the question whose memory it is has been answered before.
  Region *region = shadow_.touched_before(address, pc);
  if (bytes == 0 || (!region && belongs_to_the_emulator(address)))
    return;
  if (threads_ > 1 && drawn_)
    let_others_come(operation, is_volatile);
  looking = true; // from here on to where it is false again nothing pauses
  ThreadAccess access{address,
                      bytes,
                      piece,
                      pc,
                      operation,
                      Space::global,
                      scope,
                      is_volatile,
                      running_thread(),
                      block_,
                      region,
                      is_global_variable(address),
                      sort};
  auto place = SharedPlace::elsewhere;
  if (!region) {
    place = find_shared(address, bytes, config_.dynamic_shared);
    if (place != SharedPlace::elsewhere)
      access.space = Space::shared;
    access.region = access.space == Space::shared ? &shadow_.shared() : shadow_.find(address, pc);
  }
  if (access.program_variable && is_constant(address))
    access.space = Space::constant;
  // Bounds first: what lies nowhere has no shadow to look at.
  const Bounds::Verdict verdict = bounds_->check(access, place);
  if (verdict == Bounds::Verdict::inside)
    for (Observer *observer : of_accesses_)
      observer->access(access);
  looking = false;
  if (verdict == Bounds::Verdict::illegal || verdict == Bounds::Verdict::misaligned) {
    record_failure(verdict == Bounds::Verdict::illegal ? cudaErrorIllegalAddress
                                                       : cudaErrorMisalignedAddress);
    this_block->abandon();
  }
  if (verdict != Bounds::Verdict::inside)
    return;
  // A GPU's counters do not have what cp.async stores to shared memory. Between other kinds of memory there is none.
  const bool copying =
      copying_[static_cast<size_t>(access.thread)] &&
      access.space == (operation == Operation::store ? Space::shared : Space::global);
  if (tracing_ && !(copying && operation == Operation::store)) {
    const auto type = copying ? TraceEvent::async_load : static_cast<TraceEvent::Type>(operation);
    for (uint32_t offset = 0; offset < bytes; offset += piece)
      leave({reinterpret_cast<uint64_t>(address) + offset,
             pc,
             piece,
             type,
             sort,
             access.space,
             depth_[static_cast<size_t>(access.thread)]},
            access.thread);
  }
  if (is_volatile)
    spin_hint(); // a loop that waits for another thread must let it run
}

// Others may come before any access, and often do before one that threads agree by.
void Recorder::let_others_come(Operation operation, bool is_volatile) {
  const uint64_t odds = operation == Operation::atomic || is_volatile ? 2 : 16;
  if (drawn_order().one_in(odds))
    this_block->pause();
}

void Recorder::host_accesses(
    const char *address, size_t bytes, Operation operation, bool is_volatile, uint32_t pc) {
  const Look look;
  for (Observer *observer : of_host_accesses_)
    observer->host_access({address, bytes, operation, is_volatile, pc, on_});
}

void Recorder::leave(const TraceEvent &event, int thread) {
  WarpTrace::Lane &lane = traces_[static_cast<size_t>(thread / 32)].lane(thread % 32);
  lane.push_back(event);
  if (lane.size() % longest_trace == 0)
    this_block->pause();
}

void Recorder::end_endless_loop(uint32_t pc) {
  const bool waits = this_block->waits_in_vain() && gridDim.x * gridDim.y * gridDim.z > 1;
  char text[256];
  std::snprintf(
      text,
      sizeof text,
      "%s (%s)",
      waits
          ? "this block has waited for very long: does what it waits for come? Observed blocks run "
            "one after the other, and what later ones do has not happened"
          : "this block has run for very long: does this loop end?",
      interrupted_by != 0 ? "it was interrupted"
      : late_             ? "EMU_TIMEOUT sets how long"
                          : "EMU_STEP_LIMIT sets how long");
  found({"endless_loop", false, {{}, pc, blockIdx, threadIdx}, {}, text});
  steps_ = 0;
  late_ = false;
  record_failure(cudaErrorLaunchTimeout);
  this_block->abandon();
}

void Recorder::basic_block(uint32_t pc) {
  if (!in_block_ || looking || !kernel_runs())
    return;
  ++task_steps_;
  if (++steps_ > step_limit_ || late_.load(std::memory_order_relaxed))
    end_endless_loop(pc);
  if (tracing_) {
    const int thread = running_thread();
    leave({0,
           pc,
           0,
           TraceEvent::basic_block,
           AtomicSort::alone,
           Space::global,
           depth_[static_cast<size_t>(thread)]},
          thread);
  }
}

void Recorder::function_entered() {
  if (in_block_ && kernel_runs())
    ++depth_[static_cast<size_t>(running_thread())];
}

void Recorder::function_left() {
  if (in_block_ && kernel_runs())
    --depth_[static_cast<size_t>(running_thread())];
}

void Recorder::note_async_copy(bool begins) {
  if (in_block_ && in_kernel())
    copying_[static_cast<size_t>(this_block->current())] = begins;
}

void Recorder::note_fence(Scope scope) {
  if (!in_block_ || !in_kernel())
    return;
  tell(&Observer::fence, this_block->current(), scope);
}

void Recorder::note_acquire() {
  if (in_block_ && in_kernel())
    tell(&Observer::acquired, this_block->current());
}

// ------------------------------------------------------------------------------ from the engine

void Recorder::launch_begins(const char *name, const LaunchConfig &config, const KernelBody &body) {
  config_ = config;
  parameters_ = {static_cast<const char *>(body.body), body.parameter_bytes};
  array_names().launch_begins(body);
  thread_variables_ = find_thread_variables();
  drawn_ = drawn_order().drawn();
  blocks_ended_ = 0;
  launch_began_ = Clock::now();
  next_progress_ =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(progress_after_));
  blocks_ = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  // The traced blocks are spread over the grid; the first and the last, which may be ragged, are
  // among them.
  traced_.clear();
  const uint64_t wanted = std::min(blocks_to_trace_, blocks_);
  for (uint64_t i = 0; i < wanted; ++i)
    traced_.insert(wanted > 1 ? i * (blocks_ - 1) / (wanted - 1) : 0);
  of_accesses_.clear();
  for (Observer *observer : observers_)
    if (observer->wants() & Observer::accesses)
      of_accesses_.push_back(observer);
  tell(&Observer::launch_begins, ObservedLaunch{name, config, parameters_, on_});
  running_ = {};
  KernelReport &report = running_.report;
  report.name = name;
  report.part = part_;
  copy_sizes(config.grid, report.grid);
  copy_sizes(config.block, report.block);
  for (const ArgumentShape *shape = body.arguments; shape->bytes != 0; ++shape)
    report.restricted_parameters += shape->is_restricted;
}

bool Recorder::is_looking() const { return looking; }

void Recorder::launch_ends() {
  running_.accesses = counters_.accesses();
  running_.basic_blocks = counters_.basic_blocks();
  running_.report.barriers = counters_.barriers();
  running_.report.warp_meetings = counters_.warp_meetings();
  running_.report.busiest_warp = counters_.busiest_warp();
  if (on_ && only_traced_ && traced_.size() < blocks_) {
    found({"unobserved",
           true,
           {},
           {},
           std::to_string(traced_.size()) + " of " + std::to_string(blocks_) +
               " blocks were looked at, as asked: what the others did was not counted, and no "
               "hazard was looked for in it"});
    tell_all_memory_written();
  }
  const CountedKernel ended = std::exchange(running_, {});
  if (!on_)
    return;
  // From the end: a loop repeats what was launched last.
  const auto same = std::find_if(kernels_.rbegin(),
                                 kernels_.rend(),
                                 [&](const CountedKernel &earlier) { return earlier.like(ended); });
  if (same != kernels_.rend())
    same->add(ended);
  else
    kernels_.push_back(ended);
}

void Recorder::block_begins(uint64_t linear, int thread_count) {
  const Look look;
  block_ = linear;
  threads_ = thread_count;
  steps_ = 0;
  late_ = false;
  depth_.fill(0);
  copying_.reset();
  for (int warp = 0; warp * 32 < threads_; ++warp) {
    const int lanes = threads_ - warp * 32;
    members_[static_cast<size_t>(warp)] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    stopped_[static_cast<size_t>(warp)] = pending_[static_cast<size_t>(warp)] = 0;
    traces_[static_cast<size_t>(warp)].clear();
  }
  tracing_ = on_ && traced_.count(linear);
  running_.report.blocks_traced += tracing_;
  in_block_ = on_ && (tracing_ || !only_traced_);
  tell(&Observer::block_begins, ObservedBlock{linear, thread_count, tracing_});
}

void Recorder::block_ends() {
  const Look look;
  for (int warp = 0; in_block_ && tracing_ && warp * 32 < threads_; ++warp)
    merge_warp(warp, 0);
  if (in_block_)
    tell(&Observer::block_ends);
  in_block_ = false;
  if (interrupted_by != 0 && on_) {
    launch_ends(); // as far as it has come
    report_interrupted();
  }
  if (++blocks_ended_ % 64 == 0 && on_ && progress_after_ > 0)
    tell_progress();
}

// For who waits: an observed kernel takes some hundred times as long as a plain one.
void Recorder::tell_progress() {
  const Clock::duration taken = Clock::now() - launch_began_;
  if (taken < next_progress_)
    return;
  next_progress_ = 2 * taken;
  std::fprintf(
      stderr,
      "emulator: observing kernel %s: %llu of %llu blocks after %.0f s; --blocks N looks at "
      "N of them only\n",
      running_.report.name.c_str(),
      static_cast<unsigned long long>(blocks_ended_),
      static_cast<unsigned long long>(blocks_),
      std::chrono::duration<double>(taken).count());
}

void Recorder::complained(const Complaint &complaint) {
  const Look look;
  const bool warning = std::strcmp(complaint.kind, "exited_at_barrier") == 0 ||
                       std::strcmp(complaint.kind, "absent_lanes") == 0 ||
                       std::strcmp(complaint.kind, "unobserved") == 0;
  found({complaint.kind, warning, complaint.here, complaint.other, complaint.text});
}

} // namespace emu
