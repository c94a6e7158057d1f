/// \file
/// What one live block tells: the engine's events, the compiler's callbacks for each access, the device
/// functions' notes. Sorts out what is the kernel's business and passes it to the instruments.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <set>

#include "../src/engine/block.hpp"
#include "in_flight.hpp"
#include "observer.hpp"
#include "warp_trace.hpp"

namespace emu {

class Recorder;

/// What blocks share of the launch that runs.
struct LaunchState {
  LaunchConfig config;
  Stretch parameters;
  Stretch thread_variables; // of the host thread that runs it
  uint64_t blocks = 0;
  bool drawn = false; // whether its schedule is
  std::vector<Observer *> of_accesses; // those that want to hear of them
  std::set<uint64_t> traced; // blocks
  bool only_traced = false; // the other blocks are not looked at either
  uint64_t step_limit = UINT64_MAX - 1; // none before start()
  std::atomic<bool> late{false}; // the running block has taken too long
  uint64_t blocks_traced = 0;

  bool looks_at_some() const { return only_traced && traced.size() < blocks; }
  /// One has come to its end.
  virtual void block_ended() = 0;

protected:
  ~LaunchState() = default;
};

/// Whether it is threadIdx or one of its kin, which a kernel can only read.
inline bool is_index(const char *address) {
  const auto holds = [address](const auto &variable) {
    return static_cast<size_t>(address - reinterpret_cast<const char *>(&variable)) <
           sizeof variable;
  };
  return holds(threadIdx) || holds(blockIdx) || holds(blockDim) || holds(gridDim);
}

class BlockObserver final : public BlockWatcher {
public:
  BlockObserver(LaunchState &launch, Recorder &recorder);

  /// \name From the instrumented kernel
  /// @{
  /// Whether an access is nobody's business, as about half of them are: what the engine sets for each thread, a kernel's
  /// parameters, the thread's own variables.
  /// \param frame  of the function that was called for it
  bool passes_over(const char *address, const char *frame, Operation operation) const {
    if (!observed_)
      return !yields_;
    return !block_.shared.region().holds(address) &&
           ((launch_.thread_variables.holds(address) &&
             (operation == Operation::load || !is_index(address))) ||
            launch_.parameters.holds(address) || is_near(address, frame));
  }
  void access(char *address, uint32_t pc, ThreadOperation what, uint64_t expected = 0);
  void basic_block(uint32_t pc) {
    if (++steps_ >= next_look_) [[unlikely]]
      look_at_basic_block(pc);
  }
  /// \param where  in its beginning, as a return address
  void function_entered(const char *where);
  void function_left();
  void note_fence(Scope scope);
  void note_acquire();
  void note_active_mask();
  void note_read_only(const char *address, uint32_t bytes, uint32_t pc);
  /// @}

  /// \name From the engine
  /// @{
  void begins(uint64_t linear, int thread_count) override;
  void ends() override;
  void thread_stops(int thread, Stop why) override;
  void barrier_released() override;
  void lanes_met(int warp, uint32_t lanes, Site sync) override;
  void warps_met(int first, int count) override;
  void phases_begin(const void *barrier) override;
  void arrives(const void *barrier, Scope scope, bool releases) override;
  void phase_ends(const void *barrier) override;
  void phase_passed(const void *barrier, unsigned others) override;
  void copy_begins(const AsyncCopy &copy, const void *at) override;
  void copy_ends(const AsyncCopy &copy, bool by_its_thread) override;
  void bulk_begins(const BulkCopy &copy, const void *at) override;
  void bulk_read(const BulkCopy &copy) override;
  void bulk_ends(const BulkCopy &copy) override;
  void proxy_fence(bool barriers_only) override;
  /// @}

private:
  bool belongs_to_the_emulator(const char *address) const;
  /// Whether it lies on the running thread's stack for sure: no other one begins so near.
  static bool is_near(const char *address, const char *frame) {
    return static_cast<size_t>(address - frame) < 4096 && this_block->stacks().holds(address);
  }
  void look_whose_stack(const char *address, uint32_t pc);
  BlockObserver *owner_of(const char *address, uint32_t pc);
  BlockObserver *look_at_life(const Block &peer, uint32_t pc);
  void look_at_basic_block(uint32_t pc);
  void look_at_clock(uint32_t pc);
  void leave_basic_block(uint32_t pc);
  void let_others_come(Operation operation, bool is_volatile);
  void leave(TraceEvent event, int thread);
  [[noreturn]] void end_endless_loop(uint32_t pc);
  void merge_warp(size_t warp, uint32_t pending);
  BlockObserver &of_copy(const Block *block);
  ThreadAccess access_of(const char *address,
                         size_t bytes,
                         Operation operation,
                         const InFlight::Bulk &bulk,
                         BlockObserver &by);
  void tell_over(const ThreadAccess &access);
  size_t warps() const { return static_cast<size_t>(block_.threads + 31) / 32; }

  LaunchState &launch_;
  Recorder &recorder_;
  ObservedBlock block_;
  bool observed_ = false;
  bool yields_ = false; // its threads take turns in a drawn order, at any access
  uint64_t steps_ = 0, next_look_at_clock_ = 0; // basic blocks executed
  uint64_t next_look_ =
      UINT64_MAX; // at one of them: at each if they are traced, at none if nobody counts
  uint64_t exchanges_ = 0; // atomicCAS, which takes as long as some of these
  std::array<uint8_t, 1024> depth_{}; // of calls, of each thread
  std::bitset<1024> copying_; // threads that begin an asynchronous copy
  std::bitset<1024> copying_bulk_; // and of these, a bulk copy
  InFlight in_flight_;
  std::array<WarpTrace, 32> traces_;
  std::array<uint32_t, 32> stopped_{}, pending_{}, members_{};
};

} // namespace emu
