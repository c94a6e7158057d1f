#include "engine/cluster.hpp"

namespace emu {

constinit thread_local dim3 cluster_extent{};

void Cluster::add(unsigned rank, const Member &member) {
  if (members_.size() <= rank)
    members_.resize(rank + 1);
  members_[rank] = member;
}

int Cluster::rank_of(const void *address) const {
  for (size_t rank = 0; rank < members_.size(); ++rank)
    if (static_cast<size_t>(static_cast<const char *>(address) - members_[rank].memory) <
        shared_arena_bytes)
      return static_cast<int>(rank);
  return -1;
}

bool Cluster::arrive() {
  ++arrived_;
  return is_complete();
}

bool Cluster::thread_exits(bool had_arrived) {
  --live_;
  arrived_ -= had_arrived;
  return is_complete();
}

bool Cluster::is_complete() {
  if (arrived_ == 0 || arrived_ < live_)
    return false;
  arrived_ = 0;
  return true;
}

std::string Cluster::awaited() const {
  return "at a barrier of its cluster, to which " + std::to_string(live_ - arrived_) +
         " of the cluster's " + std::to_string(live_) + " threads have not come";
}

dim3 index_of_block(uint64_t number) {
  const auto x = static_cast<unsigned>(number % gridDim.x);
  number /= gridDim.x;
  return {x, static_cast<unsigned>(number % gridDim.y), static_cast<unsigned>(number / gridDim.y)};
}

uint64_t block_in_cluster(uint64_t cluster, uint64_t rank) {
  const dim3 clusters = clusters_of_grid();
  const uint64_t x = cluster % clusters.x * cluster_extent.x + rank % cluster_extent.x;
  cluster /= clusters.x;
  rank /= cluster_extent.x;
  const uint64_t y = cluster % clusters.y * cluster_extent.y + rank % cluster_extent.y;
  const uint64_t z = cluster / clusters.y * cluster_extent.z + rank / cluster_extent.y;
  return x + gridDim.x * (y + gridDim.y * z);
}

unsigned rank_in_cluster(uint64_t block) {
  const dim3 index = index_of_block(block);
  return index.x % cluster_extent.x +
         cluster_extent.x *
             (index.y % cluster_extent.y + cluster_extent.y * (index.z % cluster_extent.z));
}

uint64_t cluster_of(uint64_t block) {
  const dim3 index = index_of_block(block), clusters = clusters_of_grid();
  return index.x / cluster_extent.x +
         clusters.x *
             (index.y / cluster_extent.y + uint64_t{clusters.y} * (index.z / cluster_extent.z));
}

} // namespace emu
