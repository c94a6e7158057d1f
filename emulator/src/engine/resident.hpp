/// \file
/// Blocks that live at the same time: all of a grid in a cooperative launch, where they may wait for
/// each other; a few of it in a drawn order, where they come between each other; and in any launch those
/// that have turned out to wait for each other.
///
/// Each host thread has a share of the blocks, each of these with stacks and shared memory of its
/// own, and runs one until all its threads wait for other blocks; then it is the next one's turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "emu/engine/launch.hpp"

namespace emu {

/// Where the blocks of a grid meet.
class GridBarrier {
public:
  explicit GridBarrier(uint64_t blocks) : blocks_(blocks) {}

  /// One block has come. Returns the round that it waits for.
  uint64_t arrive();
  bool passed(uint64_t round) const { return round_ != round; }
  /// One block has ended.
  void leave();
  /// Whether those who wait do so for ever, because others have ended.
  bool stuck() const { return stuck_; }

private:
  void look_if_stuck() { stuck_ = arrived_ > 0 && ended_ > 0 && arrived_ + ended_ == blocks_; }

  std::mutex mutex_;
  const uint64_t blocks_;
  uint64_t arrived_ = 0; // in this round
  uint64_t ended_ = 0;
  std::atomic<uint64_t> round_{0};
  std::atomic<bool> stuck_{false};
};

class Block;
class SharedMemory;

/// Blocks of one launch and one host thread, and what they share with the other host threads.
struct ResidentBlocks {
  /// Gives the number of another block that may begin, or false when there are none left.
  std::function<bool(uint64_t &)> another;
  size_t at_first; // so many begin before any of them waits
  size_t at_once; // and so many live at a time at most, more only when all of those wait
  const LaunchConfig &config;
  KernelBody body;
  GridBarrier &barrier;
  const std::atomic<int> &error; // of the launch
};

/// Runs all blocks that there are to their ends, or until the launch has failed.
/// \param waiting, its_memory  a block that has begun and waits, if there is one
/// \return false if one of their threads has overrun its stack
bool run_resident(const ResidentBlocks &blocks,
                  Block *waiting = nullptr,
                  SharedMemory *its_memory = nullptr);

} // namespace emu
