// A block's accesses of shared memory of the others in its cluster, and its threads' of each other's stacks.
#include "../src/engine/block.hpp"
#include "../src/engine/cluster.hpp"
#include "../src/engine/failures.hpp"
#include "block_observer.hpp"
#include "look.hpp"
#include "recorder.hpp"

namespace emu {

// Of shared memory of another block of the cluster: who watches that block, or null, if nothing is to be looked at. Of
// memory that is in no block's: this one.
BlockObserver *BlockObserver::owner_of(const char *address, uint32_t pc) {
  const Cluster *cluster = this_block->cluster();
  const int rank = cluster ? cluster->rank_of(address) : -1;
  return rank < 0 ? this : look_at_life(*cluster->members()[static_cast<size_t>(rank)].block, pc);
}

BlockObserver *BlockObserver::look_at_life(const Block &peer, uint32_t pc) {
  if (peer.life() == Block::Life::alive) {
    auto *const watcher = static_cast<BlockObserver *>(peer.watcher());
    return watcher->observed_ ? watcher : nullptr;
  }
  const bool ended = peer.life() == Block::Life::ended;
  {
    const Look look;
    recorder_.found({ended ? "peer_exited" : "peer_not_started",
                     false,
                     {{}, pc, blockIdx, threadIdx},
                     {},
                     ended ? "touches shared memory of a block of its cluster that has ended"
                           : "touches shared memory of a block of its cluster that has not begun"});
  }
  if (!ended)
    return nullptr;
  record_failure(cudaErrorLaunchFailure);
  this_block->abandon();
}

// Where a local variable of one thread lies, others have something of their own on a GPU, or nothing.
void BlockObserver::look_whose_stack(const char *address, uint32_t pc) {
  const StackPool &stacks = this_block->stacks();
  const auto *frame = static_cast<const char *>(__builtin_frame_address(0));
  if (is_near(address, frame) || !stacks.holds(address) ||
      stacks.find(address) == stacks.find(frame))
    return;
  const Look look;
  recorder_.found({"local_pointer",
                   false,
                   {{}, pc, blockIdx, threadIdx},
                   {},
                   "follows a pointer to a local variable of another thread: local memory is each "
                   "thread's own, and on a GPU this address means something else in each"});
}

} // namespace emu
