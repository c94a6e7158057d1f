/// \file
/// The asynchronous operations of a block that nobody has waited for yet.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/engine/async.hpp"

namespace emu {

/// A copy to shared memory.
struct AsyncCopy {
  char *to;
  const char *from;
  uint32_t group; // of its thread's
  uint16_t thread;
  uint8_t bytes; // 4, 8 or 16
  uint8_t read : 7; // of them; what follows is set to 0
  bool done : 1; // earlier than it had to be
};
static_assert(sizeof(AsyncCopy) == 24); // matrix products keep thousands of them

class AsyncOperations {
public:
  /// A block begins: it has none.
  void forget();

  void begin(AsyncCopy copy);
  void commit(int thread);
  void wait(int thread, size_t but);
  void end_with_phase(int thread, const void *barrier, uint64_t phase);
  void found_in_phase(const void *barrier, uint64_t phase);

  /// In a drawn order: some of them come now.
  void some_come();

private:
  /// What a thread has begun and no barrier ends, in the order in which it was begun.
  struct Queue {
    std::vector<AsyncCopy> copies;
    size_t first = 0; // those before it are over
    uint32_t groups = 0; // closed
  };
  struct Phase {
    const void *barrier;
    uint64_t number;
    std::vector<AsyncCopy> copies; // that end with it
  };

  Queue &of(int thread);

  std::vector<Queue> queues_; // of each thread
  std::vector<Phase> phases_;
  bool any_ = false; // since the block began
};

} // namespace emu
