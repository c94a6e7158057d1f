#include "engine/resident.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <sched.h>
#include <vector>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/cluster.hpp"
#include "engine/drawn_order.hpp"
#include "engine/shared_memory.hpp"
#include "engine/thread_object.hpp"
#include "engine/watchdog.hpp"
#include "engine/watcher.hpp"

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
};

/// The blocks of this host thread. Kept from launch to launch, as programs repeat them: to touch
/// all their stacks anew takes longer than many a kernel.
class Residents {
public:
  void begin(int threads) {
    if (!serve(threads)) {
      blocks_.clear();
      threads_ = threads;
    }
    used_ = 0;
  }
  void end() { used_before_ = used_; }
  Resident &next() {
    if (used_ == blocks_.size())
      blocks_.push_back(std::make_unique<Resident>(threads_));
    return *blocks_[used_++];
  }
  void drop() { blocks_.clear(); }
  /// As many as the launch before has needed: others may be kept from one before that.
  size_t needed_before() const { return std::min(used_before_, blocks_.size()); }

private:
  /// Those for more threads do, too, unless new ones had larger stacks.
  bool serve(int threads) const {
    if (blocks_.empty() || threads >= threads_)
      return threads == threads_;
    size_t freed = 0;
    for (const auto &one : blocks_)
      freed += one->block.stacks().memory_bytes();
    return std::all_of(blocks_.begin(), blocks_.end(), [&](const auto &one) {
      return one->block.has_as_large_stacks(threads, freed);
    });
  }

  std::vector<std::unique_ptr<Resident>> blocks_;
  size_t used_ = 0, used_before_ = 0;
  int threads_ = 0; // that each has stacks for
};

/// Where one block after the other lives.
struct Seat {
  Block *block;
  SharedMemory *shared;
  uint64_t number; // of the block that is to begin
  bool begun, ended;
  bool can_go_on() const { return !ended && (!begun || block->can_go_on()); }
};

/// The blocks of a host thread that take turns.
class Turns {
public:
  Turns(const ResidentBlocks &blocks, int threads)
      : blocks_(blocks), threads_(static_cast<size_t>(threads)) {}

  void add(Block &block, SharedMemory &shared) {
    seats_.push_back({&block, &shared, 0, true, false});
  }
  void open(size_t count) {
    for (uint64_t number = 0; seats_.size() < count && blocks_.another(number);) {
      Resident &resident = of_this_thread<Residents>().next();
      resident.shared.open();
      resident.block.join(cluster_at(seats_.size(), number, resident));
      seats_.push_back({&resident.block, &resident.shared, number, false, false});
    }
  }

  /// \return false if a thread has overrun its stack
  bool run() {
    Clock::time_point moved = Clock::now();
    size_t rounds = 0, in_vain = 0; // one after the other
    for (size_t left = seats_.size(); left > 0 && !failed();) {
      const size_t before = blocks_run_;
      in_vain = may_anybody_act() ? 0 : in_vain + 1;
      if (in_vain > most_rounds_in_vain ||
          std::none_of(seats_.begin(), seats_.end(), [](const Seat &s) { return s.can_go_on(); })) {
        fail_waiting();
        return true;
      }
      const size_t first =
          kernel_watcher && drawn_order().drawn() ? drawn_order().below(seats_.size()) : 0;
      for (size_t turn = 0; turn < seats_.size(); ++turn) {
        Seat &seat = seats_[(first + turn) % seats_.size()];
        if (!seat.can_go_on())
          continue;
        if (!give_turn(seat))
          return false;
        if (failed())
          return true;
        left -= seat.ended;
      }
      if (blocks_run_ > before) {
        moved = Clock::now();
        continue;
      }
      // All of them wait, for blocks of other host threads perhaps; those of a cluster seldom do.
      if (clusters_.empty() || ++rounds % 64 == 0)
        sched_yield();
      // Another block costs memory for its stacks; twice as many, twice as long a wait before.
      const auto patience = std::chrono::microseconds(10) * (threads_ * seats_.size());
      if (const Clock::time_point now = Clock::now(); now - moved > patience) {
        moved = now;
        const size_t were = seats_.size();
        open(std::min(std::max(2 * were, of_this_thread<Residents>().needed_before()),
                      blocks_.at_once));
        left += seats_.size() - were;
      }
    }
    return true;
  }

private:
  using Clock = std::chrono::steady_clock;

  // Each block that could has asked again in each of them: what one of them did before has been seen.
  static constexpr size_t most_rounds_in_vain = 32;
  bool may_anybody_act() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat &seat) {
      return seat.can_go_on() && !(seat.begun && seat.block->asks_in_vain());
    });
  }

  bool failed() const { return blocks_.error.load(std::memory_order_relaxed) != cudaSuccess; }

  /// The cluster of the block that takes this seat; null: it has none. Those of a cluster come one after the other.
  Cluster *cluster_at(size_t seat, uint64_t number, Resident &resident) {
    const size_t blocks = cluster_blocks();
    if (blocks == 1)
      return nullptr;
    if (seat % blocks == 0)
      clusters_.push_back(
          std::make_unique<Cluster>(cluster_of(number), static_cast<int>(blocks * threads_)));
    clusters_.back()->add(rank_in_cluster(number), {&resident.block, resident.shared.begin()});
    return clusters_.back().get();
  }

  /// Blocks of clusters wait for each other, and nobody comes: one of them keeps threads from that.
  void fail_waiting() {
    const auto keeps = [](const Seat &seat) { return !seat.ended && seat.block->waits_within(); };
    const auto found = std::find_if(seats_.begin(), seats_.end(), keeps);
    found->shared->enter();
    this_block = found->block;
    found->block->fail_waiting();
  }

  /// Until its block waits, or a few have ended there. \return false if a stack was overrun
  bool give_turn(Seat &seat) {
    seat.shared->enter();
    this_block = seat.block;
    constexpr int a_few = 16;
    for (int i = 0; i < a_few; ++i) {
      const Block::Outcome outcome =
          seat.begun ? seat.block->resume() : seat.block->run(seat.number, blocks_.body);
      seat.begun = true;
      if (outcome == Block::Outcome::suspended)
        return true;
      if (seat.block->overrun_stack() >= 0)
        return false;
      if (outcome == Block::Outcome::failed)
        return true;
      ++blocks_run_;
      blocks_.barrier.leave();
      block_finished();
      if (!clusters_.empty() && !kernel_watcher)
        seat.shared->close();
      seat.ended = !blocks_.another(seat.number);
      if (seat.ended)
        return true;
      seat.begun = false;
    }
    return true;
  }

  const ResidentBlocks &blocks_;
  const size_t threads_; // of each
  std::vector<Seat> seats_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  size_t blocks_run_ = 0;
};

} // namespace

bool run_resident(const ResidentBlocks &blocks, Block *waiting, SharedMemory *its_memory) {
  const dim3 extent = blocks.config.block;
  const auto threads = static_cast<int>(extent.x * extent.y * extent.z);
  of_this_thread<Residents>().begin(threads);
  Turns turns(blocks, threads);
  if (waiting)
    turns.add(*waiting, *its_memory);
  turns.open(blocks.at_first);
  const bool sound = turns.run();
  if (!sound || blocks.error.load() != cudaSuccess) {
    of_this_thread<Residents>().drop(); // their stacks hold frames of threads that never come back
    if (waiting)
      waiting->drop();
  } else {
    of_this_thread<Residents>().end();
  }
  return sound;
}

} // namespace emu
