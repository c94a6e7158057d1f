#include "resident.hpp"

#include <memory>
#include <sched.h>
#include <vector>

#include "block.hpp"
#include "emu/errors.hpp"
#include "schedule.hpp"
#include "shared_memory.hpp"
#include "watchdog.hpp"
#include "watcher.hpp"

namespace emu {

uint64_t GridBarrier::arrive() {
  const std::lock_guard lock(mutex_);
  const uint64_t round = round_;
  if (++arrived_ == blocks_) {
    arrived_ = 0;
    ++round_;
  }
  look_if_stuck();
  return round;
}

void GridBarrier::leave() {
  const std::lock_guard lock(mutex_);
  ++ended_;
  look_if_stuck();
}

namespace {

struct Resident {
  explicit Resident(int threads) : block(threads, true) {}
  Block block;
  SharedMemory shared;
  bool started = false;
  bool ended = false;
};

/// The blocks of this host thread. Kept from launch to launch, as programs repeat them: to touch
/// all their stacks anew takes longer than many a kernel.
class Residents {
public:
  std::vector<std::unique_ptr<Resident>> &get(size_t count, int threads) {
    if (threads != threads_)
      blocks_.clear();
    threads_ = threads;
    if (blocks_.size() > count)
      blocks_.resize(count);
    for (auto &resident : blocks_)
      resident->started = resident->ended = false;
    while (blocks_.size() < count)
      blocks_.push_back(std::make_unique<Resident>(threads));
    return blocks_;
  }

private:
  std::vector<std::unique_ptr<Resident>> blocks_;
  int threads_ = 0; // of each
};

thread_local Residents my_residents;

/// In which block of the grid the i-th of these does its work.
uint64_t number(const ResidentBlocks &blocks, size_t i) {
  return watcher ? schedule().block(blocks.begin + i, blocks.of) : blocks.begin + i;
}

bool run_in_turns(const std::vector<std::unique_ptr<Resident>> &residents,
                  const ResidentBlocks &blocks) {
  bool sound = true;
  size_t left = residents.size();
  while (left > 0 && blocks.error.load(std::memory_order_relaxed) == cudaSuccess) {
    const size_t first = watcher && schedule().drawn() ? schedule().below(residents.size()) : 0;
    for (size_t turn = 0; turn < residents.size(); ++turn) {
      const size_t i = (first + turn) % residents.size();
      Resident &resident = *residents[i];
      if (resident.ended)
        continue;
      resident.shared.enter();
      this_block = &resident.block;
      const Block::Outcome outcome = resident.started
                                         ? resident.block.resume()
                                         : resident.block.run(number(blocks, i), blocks.body);
      resident.started = true;
      if (resident.block.overrun_stack() >= 0)
        sound = false;
      if (outcome == Block::Outcome::failed || !sound)
        return sound;
      if (outcome == Block::Outcome::suspended)
        continue;
      resident.ended = true;
      --left;
      blocks.barrier.leave();
      block_finished();
    }
    sched_yield(); // what is left waits, for blocks of other host threads perhaps
  }
  return sound;
}

} // namespace

bool run_resident(const ResidentBlocks &blocks) {
  const dim3 extent = blocks.config.block;
  auto &residents =
      my_residents.get(blocks.end - blocks.begin, static_cast<int>(extent.x * extent.y * extent.z));
  const bool sound = run_in_turns(residents, blocks);
  if (!sound || blocks.error.load() != cudaSuccess)
    residents.clear(); // their stacks hold frames of threads that never come back
  return sound;
}

} // namespace emu
