/// \file
/// The blocks of a cluster: they live at the same time and take turns on one host thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/engine/cluster.hpp"

namespace emu {

class Block;
class PhaseBarrier;

/// A cluster, from when its blocks are given their places to when the last one has ended.
class Cluster {
public:
  struct Member {
    Block *block;
    char *memory; // its static shared memory begins there
  };

  /// \param number   of it in the grid
  /// \param threads  of all its blocks, that have not exited
  Cluster(uint64_t number, int threads) : barrier_(number + 1), live_(threads) {}

  /// By their ranks, which come in any order.
  void add(unsigned rank, const Member &member);
  const std::vector<Member> &members() const { return members_; }
  /// In whose shared memory the address lies; -1: in no block's.
  int rank_of(const void *address) const;

  /// \name Its barrier
  /// \return whether all have come now, and it is over
  /// @{
  bool arrive();
  /// \param had_arrived  and has not waited
  bool thread_exits(bool had_arrived);
  /// What instruments know it by: no address of anything else.
  const void *barrier() const { return reinterpret_cast<const void *>(barrier_); }
  /// In words: who waits there waits for what.
  std::string awaited() const;
  /// @}

private:
  bool is_complete();

  std::vector<Member> members_;
  uint64_t barrier_;
  int live_; // threads that have not exited
  int arrived_ = 0; // of these
};

/// In whose shared memory the address lies, of the running block and the others of its cluster; null: in nobody's.
Block *block_of_shared(const void *address);
/// Calls begin(to, until) for each block whose bit is set, with the places in its shared memory that are the same as these.
void for_each_receiver(int blocks, void *to, PhaseBarrier &until, Site site, const auto &begin) {
  for (unsigned rank = 0; blocks >> rank != 0; ++rank)
    if (blocks >> rank & 1)
      begin(in_shared_of(to, rank, site),
            *static_cast<PhaseBarrier *>(in_shared_of(&until, rank, site)));
}

/// The blockIdx of a block of the running grid, by its number.
dim3 index_of_block(uint64_t number);
/// Of the grid that runs: which block stands at a place where clusters come one after the other.
/// \param cluster, rank  the cluster's number, x running fastest, and the block's in it
uint64_t block_in_cluster(uint64_t cluster, uint64_t rank);
/// The rank of a block, given by its number in the grid.
unsigned rank_in_cluster(uint64_t block);
/// The number of its cluster.
uint64_t cluster_of(uint64_t block);

} // namespace emu
