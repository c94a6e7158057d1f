// A block among others that live at the same time: as one of a cluster, and when it gives way to them.
#include <algorithm>
#include <cstdio>
#include <sched.h>

#include "emu/runtime/errors.hpp"
#include "engine/block_switch.hpp"
#include "engine/cluster.hpp"
#include "engine/failures.hpp"

namespace emu {

namespace {

// In a grid without clusters each block is one.
uint64_t block_number() {
  return blockIdx.x + uint64_t{gridDim.x} * (blockIdx.y + uint64_t{gridDim.y} * blockIdx.z);
}

} // namespace

// From now on the block keeps account of its cluster's barrier.
void Block::enter_cluster() {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  if (cluster_)
    return;
  alone_ = std::make_shared<Cluster>(block_number(), live_);
  alone_->add(0, {this, static_shared});
  cluster_ = alone_.get();
}

void Block::leave_cluster(int thread) {
  if (watcher_)
    watcher_->arrives(cluster_->barrier(), Scope::device); // whoever waits there knows what it did
  if (cluster_->thread_exits(cluster_arrived_.contains(thread)))
    end_cluster_barrier();
}

void Block::cluster_arrive(bool releases, Site site) {
  enter_cluster();
  const int me = turn.fiber->thread;
  if (cluster_arrived_.contains(me) || cluster_passed_.contains(me))
    fail_launch(cudaErrorLaunchFailure,
                "invalid_cluster_barrier",
                "arrives at the cluster's barrier again without having waited there in between",
                site);
  cluster_arrived_.insert(me);
  if (watcher_)
    watcher_->arrives(cluster_->barrier(), Scope::device, releases);
  if (cluster_->arrive())
    end_cluster_barrier();
}

void Block::cluster_wait(Site site) {
  enter_cluster();
  const int me = turn.fiber->thread;
  if (cluster_arrived_.contains(me)) {
    cluster_waiters_.insert(me);
    note_wait(Wait::cluster, site);
    wait_for_turn(pick());
  } else if (!cluster_passed_.contains(me)) {
    fail_launch(cudaErrorLaunchFailure,
                "invalid_cluster_barrier",
                "waits at the cluster's barrier without having arrived there",
                site);
  }
  cluster_passed_.erase(me);
  if (watcher_)
    watcher_->phase_passed(cluster_->barrier(), 0);
}

void Block::end_cluster_barrier() {
  for (const Cluster::Member &member : cluster_->members())
    member.block->pass_cluster_barrier();
}

void Block::pass_cluster_barrier() {
  cluster_passed_.take(cluster_arrived_);
  ready_.take(cluster_waiters_);
  if (watcher_)
    watcher_->phase_ends(cluster_->barrier());
}

// Whether it is another block's turn, as all threads only ask again and again for something. Most often a
// thread of this block answers, and to change blocks costs microseconds: so a turn lasts for some questions.
bool Block::gives_way() {
  constexpr unsigned questions = 16 * 1024;
  if (resident_ && (watcher_ || joined_ || in_cooperative_launch()))
    return true;
  if (!watcher_)
    return asked_ > questions;
  // Observed blocks run one after the other on this host thread: only host code can answer, and each of
  // these calls costs a time slice on a busy machine.
  if (++patience_ % 64 == 0)
    sched_yield();
  return false;
}

// Whether a thread waits for what others of the cluster may do.
bool Block::waits_for_others() const {
  return !cluster_waiters_.empty() || !trying_.empty() ||
         std::any_of(phase_waiters_.begin(), phase_waiters_.end(), [](const PhaseWaiters &each) {
           return !each.waiting.empty();
         });
}

bool Block::can_go_on() const {
  return !ready_.empty() || !yielded_.empty() || started_ < thread_count_ || !trying_.empty() ||
         std::any_of(
             phase_waiters_.begin(), phase_waiters_.end(), [this](const PhaseWaiters &each) {
               return !each.waiting.empty() && (each.barrier->state().phase() != each.phase ||
                                                async_.can_bring(*each.barrier));
             });
}

// A fault in shared memory of another block of the cluster: that one has ended. On an H200 it is this error, too.
bool Block::tell_peer_fault(const Fault &fault) const {
  if (!joined_ || !fault.has_address || joined_->rank_of(fault.address) < 0)
    return false;
  complain_at("peer_exited",
              "touches shared memory of a block of its cluster that has ended",
              fault.instruction + 1); // what is kept of an instruction is where it ends
  record_failure(cudaErrorLaunchFailure);
  return true;
}

bool Block::waits_within() const {
  int for_cluster = 0;
  for (int warp = 0; warp * warp_size < thread_count_; ++warp)
    for_cluster += __builtin_popcount(cluster_waiters_.lanes(warp));
  return for_cluster < live_;
}

void Block::fail_waiting() {
  blockIdx = index_;
  if (watcher_)
    watcher_->ends();
  report_deadlock();
  drop();
}

// ------------------------------------------------------------- what device code calls by name

void cluster_arrive(bool releases, Site site) { this_block->cluster_arrive(releases, site); }
void cluster_wait(Site site) { this_block->cluster_wait(site); }

char *shared_of(unsigned rank) {
  if (const Cluster *cluster = this_block->cluster(); cluster && cluster_blocks() > 1)
    return rank < cluster->members().size() ? cluster->members()[rank].memory : nullptr;
  return rank == 0 ? static_shared : nullptr;
}

Block *block_of_shared(const void *address) {
  if (is_shared_here(address))
    return this_block;
  const Cluster *const cluster = this_block ? this_block->cluster() : nullptr;
  const int rank = cluster ? cluster->rank_of(address) : -1;
  return rank < 0 ? nullptr : cluster->members()[static_cast<size_t>(rank)].block;
}

int rank_of_shared(const void *address) {
  if (is_shared_here(address))
    return static_cast<int>(cluster_rank());
  const Cluster *cluster = this_block->cluster();
  return cluster ? cluster->rank_of(address) : -1;
}

void *in_shared_of(const void *address, unsigned rank, Site site) {
  char *const target = shared_of(rank);
  if (!target) {
    char text[160];
    std::snprintf(text,
                  sizeof text,
                  "asks for shared memory of block %u of a cluster that has %u: ranks begin at 0",
                  rank,
                  cluster_blocks());
    fail_launch(cudaErrorLaunchFailure, "invalid_rank", text, site);
  }
  const int owner = rank_of_shared(address);
  if (owner < 0)
    fail_launch(cudaErrorLaunchFailure,
                "invalid_rank",
                "asks where in another block's shared memory an address lies that is in no block's",
                site);
  return target + (static_cast<const char *>(address) - shared_of(static_cast<unsigned>(owner)));
}

} // namespace emu
