#include "block_observer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <link.h>
#include <vector>

#include "../src/context/devices.hpp"
#include "../src/engine/async.hpp"
#include "../src/engine/block.hpp"
#include "../src/engine/drawn_order.hpp"
#include "../src/engine/failures.hpp"
#include "../src/engine/shared_memory.hpp"
#include "bounds.hpp"
#include "look.hpp"
#include "recorder.hpp"

extern "C" {
extern char __executable_start[], end[];
// Around the section that `__constant__` names; null in programs without one.
[[gnu::weak]] extern char __start_emu_constant[], __stop_emu_constant[];
}

namespace emu {

constinit thread_local bool looking = false;
constinit thread_local TaskCost cost_of_task{};

namespace {

// A lane that leaves more than this waits for the others of its warp, so that traces stay short.
constexpr size_t longest_trace = 1 << 15;

bool is_global_variable(const char *address) {
  return address >= __executable_start && address < end;
}

// What the program cannot write: linkers put it before the code or behind it.
std::vector<Stretch> find_constants() {
  std::vector<Stretch> found;
  const auto first_is_the_program = [](dl_phdr_info *info, size_t, void *result) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto &part = info->dlpi_phdr[i];
      if ((part.p_type == PT_LOAD && !(part.p_flags & PF_W)) || part.p_type == PT_GNU_RELRO)
        static_cast<std::vector<Stretch> *>(result)->push_back(
            {reinterpret_cast<const char *>(info->dlpi_addr + part.p_vaddr), part.p_memsz});
    }
    return 1; // no more
  };
  dl_iterate_phdr(first_is_the_program, &found);
  return found;
}

// `__constant__` variables, and the tables that the compiler itself made constant.
bool is_constant(const char *address) {
  static const auto &of_compiler =
      *new std::vector<Stretch>(find_constants()); // needed until the end
  return (address >= __start_emu_constant && address < __stop_emu_constant) ||
         std::ranges::any_of(of_compiler, [=](const Stretch &s) { return s.holds(address); });
}

// An observed block is in free mode: each of its threads has a fiber that knows it.
int running_thread() { return turn.fiber->thread; }

} // namespace

BlockObserver::BlockObserver(LaunchState &launch, Recorder &recorder)
    : launch_(launch), recorder_(recorder), in_flight_(recorder) {
  for (Observer *observer : recorder_.observers())
    block_.notes.push_back(observer->make_notes());
}

// ---------------------------------------------------------------- from the instrumented kernel

bool BlockObserver::belongs_to_the_emulator(const char *address) const {
  // The engine's bookkeeping; a thread's own stack; the launch's parameters.
  return launch_.thread_variables.holds(address) || this_block->owns(address) ||
         launch_.parameters.holds(address);
}

void BlockObserver::access(char *address, uint32_t pc, ThreadOperation what, uint64_t expected) {
  const auto [all, piece, operation, is_volatile, scope, sort] = what;
  const auto bytes = static_cast<uint32_t>(all);
  exchanges_ += sort == AtomicSort::compare;
  if (!observed_) {
    if (yields_ && !this_block->owns(address))
      let_others_come(operation, is_volatile);
    return;
  }
  // Mostly the question whose memory it is has been answered before.
  Shadow &shadow = recorder_.shadow();
  Region *region = &block_.shared.region();
  const bool shared = region->holds(address);
  if (!shared)
    region = shadow.touched_before(address, pc);
  if (region)
    region->fetch(address);
  if (bytes == 0)
    return;
  if (!region && this_block->keeps(address)) // mostly what a lane is given by its warp
    return;
  if (!region && operation != Operation::load && is_index(address)) {
    recorder_.found({"constant_write",
                     false,
                     {{}, pc, blockIdx, threadIdx},
                     {},
                     "a kernel writes threadIdx, blockIdx, blockDim or gridDim, which it can only "
                     "read"});
    return;
  }
  if (!region && belongs_to_the_emulator(address)) {
    look_whose_stack(address, pc);
    return;
  }
  if (yields_)
    let_others_come(operation, is_volatile);
  BlockObserver *const owner = shared || region ? this : owner_of(address, pc);
  if (!owner)
    return;
  const bool of_peer = owner != this;
  looking = true; // from here on to where it is false again nothing pauses
  ThreadAccess access{address,
                      bytes,
                      piece,
                      pc,
                      operation,
                      shared || of_peer ? Space::shared : Space::global,
                      scope,
                      is_volatile,
                      running_thread(),
                      of_peer ? &owner->block_.shared.region() : region,
                      is_global_variable(address),
                      sort,
                      copying_bulk_[static_cast<size_t>(running_thread())],
                      of_peer ? &owner->block_ : nullptr,
                      expected};
  auto place = SharedPlace::elsewhere;
  if (shared || !region) {
    const char *const begin = owner->block_.shared.region().base;
    place = find_shared(begin, address, bytes, launch_.config.dynamic_shared);
    if (place == SharedPlace::elsewhere)
      access.region = shadow.find(address, pc);
    else if (!shared && !of_peer) { // just before it
      access.space = Space::shared;
      access.region = &block_.shared.region();
    }
  }
  if (access.program_variable && is_constant(address))
    access.space = Space::constant;
  // Bounds first: what lies nowhere has no shadow to look at.
  const Bounds::Verdict verdict = recorder_.bounds().check(access, place);
  if (verdict == Bounds::Verdict::inside) {
    owner->in_flight_.look_at(access);
    for (Observer *observer : launch_.of_accesses)
      observer->access(block_, access);
  }
  looking = false;
  if (verdict == Bounds::Verdict::illegal || verdict == Bounds::Verdict::misaligned) {
    record_failure(verdict == Bounds::Verdict::illegal ? cudaErrorIllegalAddress
                                                       : cudaErrorMisalignedAddress);
    this_block->abandon();
  }
  if (verdict != Bounds::Verdict::inside)
    return;
  // A GPU's counters do not have what cp.async stores to shared memory, and nothing of bulk copies.
  const bool copying = copying_[static_cast<size_t>(access.thread)];
  if (block_.traced && !(copying && operation == Operation::store) && !access.by_bulk_copy) {
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
void BlockObserver::let_others_come(Operation operation, bool is_volatile) {
  const bool agrees = operation == Operation::atomic || is_volatile;
  DrawnOrder &order = drawn_order();
  if (agrees && (order.in_step() || order.one_in(2)))
    this_block->pause();
  else if (!agrees && !order.in_step() && order.one_in(16))
    this_block->stand_back();
}

namespace {

// Apart, so that leave() needs none of the stack.
[[gnu::noinline]] void leave_in_larger(WarpTrace::Lane &lane, TraceEvent event) {
  const Look look; // operator new may be the program's own
  lane.reserve(2 * lane.size() + 16);
  lane.push_back(event);
}

} // namespace

// The event comes in registers: out of memory it would be read as a whole before its halves have got there.
void BlockObserver::leave(TraceEvent event, int thread) {
  const auto index = static_cast<size_t>(thread);
  WarpTrace::Lane &lane = traces_[index / 32].lane(index % 32);
  if (lane.size() == lane.capacity()) [[unlikely]]
    leave_in_larger(lane, event);
  else
    lane.push_back(event);
  __builtin_prefetch(lane.data() + lane.size() + 8, 1); // other lanes have had the cache since
  if (lane.size() % longest_trace == 0)
    this_block->pause();
}

void BlockObserver::end_endless_loop(uint32_t pc) {
  const bool waits = this_block->waits_in_vain() && launch_.blocks > 1;
  char text[256];
  std::snprintf(
      text,
      sizeof text,
      "this block has %s for very long%s: %s%s",
      waits ? "waited" : "run",
      8 * exchanges_ > steps_ ? ", by one atomicCAS after the other" : "",
      waits ? "does what it waits for come? Observed blocks run one after the other, and what "
              "later ones do has not happened"
            : "does this loop end?",
      interrupted_by != 0             ? " (it was interrupted)"
      : launch_.late                  ? " (EMU_TIMEOUT sets how long)"
      : std::getenv("EMU_STEP_LIMIT") ? "" // whoever has set it knows
                                      : " (EMU_STEP_LIMIT sets how long)");
  {
    const Look look;
    recorder_.found({"endless_loop", false, {{}, pc, blockIdx, threadIdx}, {}, text});
  }
  launch_.late = false;
  record_failure(cudaErrorLaunchTimeout);
  this_block->abandon();
}

void BlockObserver::look_at_basic_block(uint32_t pc) {
  if (steps_ >= next_look_at_clock_)
    look_at_clock(pc);
  if (observed_ && block_.traced)
    leave_basic_block(pc);
  else
    next_look_ = next_look_at_clock_;
}

void BlockObserver::look_at_clock(uint32_t pc) {
  constexpr uint64_t of_an_exchange = 16; // steps, or more: others come in between
  if (steps_ + of_an_exchange * exchanges_ > launch_.step_limit ||
      launch_.late.load(std::memory_order_relaxed))
    end_endless_loop(pc);
  next_look_at_clock_ = std::min(steps_ + 256, launch_.step_limit + 1);
}

void BlockObserver::leave_basic_block(uint32_t pc) {
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

void BlockObserver::function_entered(const char *where) {
  if (!observed_)
    return;
  ++depth_[static_cast<size_t>(running_thread())];
  if (!this_block->has_room_below(__builtin_frame_address(0)))
    this_block->abandon_overrun(where);
}

void BlockObserver::function_left() {
  if (observed_)
    --depth_[static_cast<size_t>(running_thread())];
}

void BlockObserver::note_fence(Scope scope) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::fence, block_, running_thread(), scope);
}

void BlockObserver::note_acquire() {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::acquired, block_, running_thread());
}

void BlockObserver::note_active_mask() {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::active_mask_asked, block_);
}

void BlockObserver::note_read_only(const char *address, uint32_t bytes, uint32_t pc) {
  if (!observed_)
    return;
  const Look look;
  Region *const region = recorder_.shadow().find(address);
  if (!region)
    return; // its bounds have been looked at
  const ThreadAccess read{const_cast<char *>(address),
                          bytes,
                          bytes,
                          pc,
                          Operation::load,
                          Space::global,
                          Scope::device,
                          false,
                          running_thread(),
                          region,
                          false};
  for (Observer *observer : launch_.of_accesses)
    observer->read_only(block_, read);
}

// ------------------------------------------------------------------------------ from the engine

void BlockObserver::begins(uint64_t linear, int thread_count) {
  const Look look;
  const bool on = recorder_.on();
  block_.number = linear;
  block_.threads = thread_count;
  block_.traced = on && launch_.traced.count(linear);
  observed_ = on && (block_.traced || !launch_.only_traced);
  yields_ = launch_.drawn && (observed_ ? thread_count > 1 : !on);
  steps_ = next_look_at_clock_ = exchanges_ = 0;
  next_look_ = observed_ || yields_ ? 0 : UINT64_MAX;
  launch_.late = false;
  if (!observed_)
    return;
  depth_.fill(0);
  copying_.reset();
  copying_bulk_.reset();
  in_flight_.forget(linear);
  for (size_t warp = 0; warp < warps(); ++warp) {
    const size_t lanes = static_cast<size_t>(thread_count) - warp * 32;
    members_[warp] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    stopped_[warp] = pending_[warp] = 0;
    traces_[warp].clear();
  }
  launch_.blocks_traced += block_.traced;
  block_.shared.begin();
  recorder_.tell(&Observer::block_begins, block_);
}

void BlockObserver::ends() {
  const Look look;
  if (observed_) {
    for (size_t warp = 0; block_.traced && warp < warps(); ++warp)
      merge_warp(warp, 0);
    recorder_.tell(&Observer::block_ends, block_);
    block_.shared.end(launch_.config.dynamic_shared);
    cost_of_task.steps += steps_;
  }
  observed_ = yields_ = false;
  next_look_ = UINT64_MAX;
  launch_.block_ended();
}

void BlockObserver::merge_warp(size_t warp, uint32_t pending) {
  for (Observer *observer : recorder_.of_requests())
    observer->warp_begins(block_, static_cast<int>(warp));
  traces_[warp].merge(block_, members_[warp], pending, recorder_.of_requests());
}

void BlockObserver::thread_stops(int thread, Stop why) {
  if (!observed_ || (why != Stop::exit && !block_.traced))
    return;
  const Look look;
  if (why == Stop::exit)
    depth_[static_cast<size_t>(thread)] = 0;
  if (!block_.traced)
    return;
  const auto warp = static_cast<size_t>(thread / 32);
  const uint32_t lane = 1u << (thread % 32);
  stopped_[warp] |= lane;
  pending_[warp] = why == Stop::full ? pending_[warp] | lane : pending_[warp] & ~lane;
  if (stopped_[warp] == members_[warp]) {
    merge_warp(warp, pending_[warp]);
    stopped_[warp] &= ~pending_[warp];
    pending_[warp] = 0;
  }
}

void BlockObserver::barrier_released() {
  if (!observed_)
    return;
  const Look look;
  for (size_t warp = 0; block_.traced && warp < warps(); ++warp)
    stopped_[warp] = this_block->exited_lanes(static_cast<int>(warp));
  in_flight_.barrier();
  recorder_.tell(&Observer::barrier, block_);
}

void BlockObserver::lanes_met(int warp, uint32_t lanes, Site sync) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::lanes_met, block_, warp, lanes, sync);
}

void BlockObserver::warps_met(int first, int count) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::group_met, block_, first, count);
}

// At once it counts as its thread's load and store.
void BlockObserver::copy_begins(const AsyncCopy &copy, const void *at) {
  if (!observed_)
    return;
  const auto pc = static_cast<uint32_t>(static_cast<const char *>(at) - __executable_start);
  const auto tell_of = [&](const char *address, uint32_t bytes, Operation operation) {
    access(const_cast<char *>(address), pc, {bytes, bytes & -bytes, operation});
  };
  const int thread = running_thread();
  copying_.set(static_cast<size_t>(thread));
  if (copy.read > 0)
    tell_of(copy.from, copy.read, Operation::load);
  tell_of(copy.to, copy.bytes, Operation::store);
  copying_.reset(static_cast<size_t>(thread));
  const Look look;
  in_flight_.begins({copy.to,
                     copy.from,
                     copy.bytes,
                     copy.read,
                     thread,
                     pc,
                     copy.read > 0 ? recorder_.shadow().find(copy.from) : nullptr},
                    block_.shared.region());
}

void BlockObserver::copy_ends(const AsyncCopy &copy, bool by_its_thread) {
  if (!observed_)
    return;
  const Look look;
  const InFlight::Copy over = in_flight_.ends(copy.to, block_.shared.region());
  // A barrier passes on what its thread had behind it when it began.
  if (!by_its_thread || !over.to)
    return;
  const auto tell_of = [&](char *address, uint32_t bytes, Operation operation, Region *region) {
    const Space space = operation == Operation::store ? Space::shared : Space::global;
    const ThreadAccess access{address,
                              bytes,
                              bytes,
                              over.pc,
                              operation,
                              space,
                              Scope::device,
                              false,
                              over.thread,
                              region,
                              false};
    for (Observer *observer : launch_.of_accesses)
      observer->access_over(block_, access);
  };
  tell_of(copy.to, copy.bytes, Operation::store, &block_.shared.region());
  if (over.source)
    tell_of(const_cast<char *>(copy.from), copy.read, Operation::load, over.source);
}

} // namespace emu
