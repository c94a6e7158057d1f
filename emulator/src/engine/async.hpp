/// \file
/// The asynchronous operations of a block that nobody has waited for yet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/engine/async.hpp"

namespace emu {

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

  /// In a drawn order: some of them come now.
  void some_come();

private:
  struct Phase {
    const void *barrier;
    bool ended;
    std::vector<AsyncCopy> copies; // that end with it
  };

  std::unique_ptr<AsyncQueue[]> queues_; // made when the first one is needed
  int threads_ = 0; // of the running block, if it has anything
  std::vector<Phase> phases_;
};

} // namespace emu
