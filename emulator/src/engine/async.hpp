/// \file
/// The asynchronous operations of a block that nobody has waited for yet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/engine/async.hpp"
#include "emu/engine/bulk.hpp"

namespace emu {

class Block;

/// A bulk copy that nobody has waited for.
struct BulkCopy {
  char *to;
  const char *from;
  size_t bytes;
  PhaseBarrier *until; // that it tells of its bytes; null: its thread waits for its group
  Site site;
  Combine combine = nullptr;
  int thread = 0;
  uint32_t group = 0; // of its thread's
  std::unique_ptr<char[]> held = {}; // what was read, while it is not written
  enum class Is : uint8_t { begun, read, done } is = Is::begun;
  bool waited = false; // for the source to be read
  size_t filled = 0; // of the bytes, at the end, that are not read
  char fill = 0; // each of these
  bool more = false; // the next one is another part of the same: their bytes count together
  bool again = false; // its source is read once, for the one before, too
  bool of_value =
      false; // an asynchronous store: of what its thread has in registers, as `held` has it
  Block *by = nullptr; // whose thread it is

  void read();
  void carry_out();
};

/// The blocks of the cluster that a bulk load goes to, as bits: `blocks`, or whose shared memory `to` is. What makes no
/// sense ends the launch.
/// \param what  it is, for reports
int check_receivers(const void *to,
                    const PhaseBarrier &until,
                    int blocks,
                    Site site,
                    const char *what = "a bulk copy");

class AsyncOperations {
public:
  AsyncOperations() = default;
  ~AsyncOperations();
  AsyncOperations(const AsyncOperations &) = delete;
  AsyncOperations &operator=(const AsyncOperations &) = delete;

  /// A block begins: it has none.
  void forget();

  /// A thread has something to put into its queue.
  void open();
  /// The block goes on, after another one perhaps.
  void enter();
  void wait(size_t but);
  void end_with_phase(const void *barrier);
  /// A phase of the barrier has ended, and somebody has found that.
  void phase_ended(const void *barrier);
  void found_ended(const void *barrier);

  /// What a barrier is told of is from now on one of the barrier's block.
  void begin(BulkCopy copy, const void *at);
  void commit_bulk(int thread);
  void wait_for_bulk(int thread, size_t but, bool read);
  /// If nothing but bytes is missing in the barrier's phase: brings those that are under way. \return whether there are any
  bool bring(PhaseBarrier &barrier);
  bool can_bring(const PhaseBarrier &barrier) const;
  /// The block ends: what has been read of it is written.
  void finish() {
    if (!bulk_.empty() || sends_) [[unlikely]]
      finish_bulk();
  }

  /// In a drawn order: some of them come now.
  void some_come();

private:
  void finish_bulk();

  struct Phase {
    const void *barrier;
    bool ended;
    std::vector<AsyncCopy> copies; // that end with it
  };

  std::unique_ptr<AsyncQueue[]> queues_; // made when the first one is needed
  int threads_ = 0; // of the running block, if it has anything
  std::vector<Phase> phases_;
  std::vector<BulkCopy> bulk_;
  bool sends_ = false; // shared memory of the block, to others of its cluster
  std::unique_ptr<uint32_t[]>
      bulk_groups_; // closed, of each thread; made when the first one is needed
};

} // namespace emu
