/// \file
/// The seam between the emulator, which executes, and the instruments, which only look on.
///
/// A plain program has no watchers and pays nothing. In an observed one the library emulator_observe
/// installs its own before main(). The engine then runs all blocks on one host thread and in free mode, where
/// every arrival goes through a function that can tell of it.
///
/// - KernelWatcher hears of launches, and gives each block that lives a BlockWatcher. One grid runs at a time, on
///   one host thread: so none of their functions is called by two at a time.
/// - RuntimeWatcher hears of everything else that a program asks of the runtime, from any host thread at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"
#include "emu/engine/launch.hpp"
#include "emu/runtime/driver_types.hpp"

namespace emu {

struct Allocation;
struct AsyncCopy;
struct BulkCopy;
struct Task;

/// One side of a hazard: who did what where.
struct Side {
  Site site; // file and line, or
  uint32_t pc = 0; // an instruction's address in the program, when the line is not known yet
  dim3 block;
  dim3 thread;
};

/// Something that the engine noticed by itself.
struct Complaint {
  const char *kind; // "divergent_barrier", …
  const char *text; // a sentence about it
  Side here;
  Side other; // site.line 0: there is no other side
};

/// Why a thread stops for now.
enum class Stop { exit, barrier, full };

/// Of one Block, which runs one block after the other: it hears of the one that lives there now.
class BlockWatcher {
public:
  virtual ~BlockWatcher() = default;

  virtual void begins(uint64_t linear, int thread_count) = 0;
  /// All its threads have, or the launch has failed.
  virtual void ends() = 0;
  virtual void thread_stops(int thread, Stop why) = 0;
  virtual void barrier_released() = 0;
  /// The lanes of a warp that met in __syncwarp, a shuffle or a vote; with those that were named and had exited.
  /// \param sync  the __syncwarp(); line 0: it was another of these
  virtual void lanes_met(int warp, uint32_t lanes, Site sync) = 0;
  /// The threads [first, first + count), a group that is larger than a warp; some may have exited.
  virtual void warps_met(int first, int count) = 0;
  /// \name A barrier with phases: it begins anew; the running thread arrives; what has arrived is a phase; the
  /// running thread has waited for one, after which so many others have ended
  /// @{
  virtual void phases_begin(const void *barrier) = 0;
  /// \param releases  what it has done before, those who wait know
  virtual void arrives(const void *barrier, Scope scope, bool releases = true) = 0;
  virtual void phase_ends(const void *barrier) = 0;
  virtual void phase_passed(const void *barrier, unsigned others) = 0;
  /// @}
  /// The running thread begins an asynchronous copy. \param at  the instruction behind the call
  virtual void copy_begins(const AsyncCopy &copy, const void *at) = 0;
  /// Its thread has waited for it, or somebody by a barrier.
  virtual void copy_ends(const AsyncCopy &copy, bool by_its_thread) = 0;
  /// \name The same of bulk copies
  /// @{
  virtual void bulk_begins(const BulkCopy &copy, const void *at) = 0;
  /// Its thread has waited until the source was read.
  virtual void bulk_read(const BulkCopy &copy) = 0;
  virtual void bulk_ends(const BulkCopy &copy) = 0;
  virtual void proxy_fence(bool barriers_only) = 0;
  /// @}
};

class KernelWatcher {
public:
  virtual ~KernelWatcher() = default;

  /// Whether it wants to see what kernels do; else they run unobserved.
  virtual bool is_observing() const = 0;
  virtual std::unique_ptr<BlockWatcher> watch_blocks() = 0;
  virtual void
  launch_begins(const char *name, const LaunchConfig &config, const KernelBody &body) = 0;
  virtual void launch_ends() = 0;
  /// All blocks of the grid have come to its barrier.
  virtual void grid_met() = 0;
  virtual void complained(const Complaint &complaint) = 0;

  /// \name Called by any host thread, or by a signal's handler
  /// @{
  /// The running block has taken too long: it fails where it is next seen.
  virtual void block_is_late() = 0;
  /// Whether the instruments are at work on this host thread, so that a fault is theirs and not the kernel's.
  virtual bool is_looking() const = 0;
  /// @}
};

class RuntimeWatcher {
public:
  virtual ~RuntimeWatcher() = default;

  /// A call of the host's returns this error; a launch of its (launches/grid.hpp) is still in question.
  virtual void call_failed(cudaError_t error) = 0;
  /// The host thread has asked for its last error.
  virtual void error_fetched() = 0;
  /// The host has called what makes no sense; the place is the caller's.
  virtual void host_complained(const char *kind, const char *text) = 0;
  /// Where the program has called, as "sum.cu:17"; empty if that is not known.
  virtual std::string place_of_caller() = 0;

  /// \name What streams do (streams/tasks.hpp); a kernel's launch lies between its task's begin and end
  /// @{
  /// It may be submitted now, or become a node of a graph.
  virtual void task_made(Task &task) = 0;
  virtual void task_submitted(const Task &task) = 0;
  /// On the host thread that runs it, and which tells of its end, too.
  virtual void task_begins(const Task &task) = 0;
  virtual void task_ends(const Task &task) = 0;
  /// The host has waited for a task, or for all of them (null).
  virtual void host_waited(const Task *task) = 0;
  /// Whether it has waited for this one, or for what comes behind it.
  virtual bool host_knows(const Task &task) = 0;
  /// This stream was to wait for an event that nobody has recorded yet.
  virtual void waited_in_vain(unsigned stream) = 0;
  /// The host has waited for all tasks of one of several devices.
  virtual void device_waited(int device) = 0;
  /// @}

  virtual void memory_allocated(const Allocation &allocation) = 0;
  virtual void memory_freed(void *base) = 0;
  /// A stream, an event, a graph … \param destroyed_by  the call that ends it
  virtual void handle_made(const void *handle, const char *destroyed_by) = 0;
  virtual void handle_gone(const void *handle) = 0;
  /// A call of the host's that copies or sets was given this memory. \param as_device  as the device's
  virtual void
  handed_over(const char *call, const void *memory, size_t bytes, bool writes, bool as_device) = 0;
  /// The host, or a copy, wrote device memory.
  virtual void memory_written(void *base, size_t bytes) = 0;

  /// \name Of managed memory
  /// @{
  virtual void pages_prefetched(const void *memory, size_t bytes, bool to_device) = 0;
  virtual void pages_discarded(const void *memory, size_t bytes) = 0;
  /// \param device  whether the place that the advice names is the device
  virtual void
  pages_advised(const void *memory, size_t bytes, cudaMemoryAdvise advice, bool device) = 0;
  /// @}
};

/// Null in plain programs.
extern KernelWatcher *kernel_watcher;
extern RuntimeWatcher *runtime_watcher;
/// Called before a program ends at once, by _exit or _Exit.
extern void (*before_exit)(int status);

} // namespace emu
