#include "resident.hpp"

#include <memory>
#include <sched.h>
#include <vector>

#include "block.hpp"
#include "emu/errors.hpp"
#include "shared_memory.hpp"

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

} // namespace

bool run_resident(const ResidentBlocks &blocks) {
  const dim3 extent = blocks.config.block;
  std::vector<std::unique_ptr<Resident>> residents(blocks.end - blocks.begin);
  for (auto &resident : residents)
    resident = std::make_unique<Resident>(static_cast<int>(extent.x * extent.y * extent.z));

  bool sound = true;
  size_t left = residents.size();
  while (left > 0 && blocks.error.load(std::memory_order_relaxed) == cudaSuccess) {
    for (size_t i = 0; i < residents.size(); ++i) {
      Resident &resident = *residents[i];
      if (resident.ended)
        continue;
      resident.shared.enter();
      this_block = &resident.block;
      const Block::Outcome outcome = resident.started
                                         ? resident.block.resume()
                                         : resident.block.run(blocks.begin + i, blocks.body);
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
      blocks.finished.fetch_add(1, std::memory_order_relaxed);
    }
    sched_yield(); // what is left waits, for blocks of other host threads perhaps
  }
  return sound;
}

} // namespace emu
