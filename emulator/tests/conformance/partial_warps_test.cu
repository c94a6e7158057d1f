// Warps in which not all lanes are there: votes and matches are of those that are, whatever the mask says.
#include "conformance.cuh"

#include <algorithm>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

struct Met {
  unsigned all, ballot, any, all_alike, alike_said, alike, all_unlike, unlike_said, ptx_all,
      ptx_uni;
  unsigned halves, tile_all, tile_alike, rounds;
};

__device__ unsigned voted(bool all) {
  unsigned said;
  if (all)
    asm volatile("{ .reg .pred p; vote.sync.all.pred p, 1, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(said));
  else
    asm volatile("{ .reg .pred p; vote.sync.uni.pred p, 1, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(said));
  return said;
}

__global__ void meet(int stay, Met *met) {
  const int tid = threadIdx.x; // [0, blockDim.x)
  if (tid >= stay)
    return;
  Met m{};
  int said = 5;
  m.all = __all_sync(~0u, 1);
  m.ballot = __ballot_sync(~0u, 1);
  m.any = __any_sync(~0u, tid == 33);
  m.all_alike = __match_all_sync(~0u, 7, &said);
  m.alike_said = said;
  m.alike = __match_any_sync(~0u, 7);
  m.all_unlike = __match_all_sync(~0u, tid, &said);
  m.unlike_said = said;
  m.ptx_all = voted(true);
  m.ptx_uni = voted(false);
  m.halves = cg::binary_partition(cg::coalesced_threads(), tid % 2 == 0).num_threads();
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  m.tile_all = tile.all(1);
  m.tile_alike = tile.match_any(3);
  while (!__all_sync(
      ~0u, static_cast<int>(m.rounds) >= tid % 5)) // ends when all that are there are done
    ++m.rounds;
  met[tid] = m;
}

} // namespace

TEST_CASE("lanes that have ended, or that a block never had, have no vote") {
  for (const int block : {40, 64})
    for (const int stay : {36, 40, 64}) {
      CAPTURE(block);
      CAPTURE(stay);
      const int there = std::min(block, stay);
      const conformance::DeviceArray<Met> d_met(static_cast<size_t>(there));
      meet<<<1, block>>>(stay, d_met.data());
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
      const std::vector<Met> h_met = d_met.to_host();
      for (const int tid : {0, there - 1}) {
        CAPTURE(tid);
        const int lanes = tid < 32 ? 32 : there - 32;
        const unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
        const Met &m = h_met[static_cast<size_t>(tid)];
        CHECK(m.all == 1);
        CHECK(m.ballot == mask);
        CHECK(m.any == (tid >= 32));
        CHECK(m.all_alike == mask);
        CHECK(m.alike_said == 1);
        CHECK(m.alike == mask);
        CHECK(m.all_unlike == 0);
        CHECK(m.unlike_said == 0);
        CHECK(m.ptx_all == 1);
        CHECK(m.ptx_uni == 1);
        CHECK(m.halves == lanes / 2);
        CHECK(m.tile_all == (lanes == 32)); // cooperative groups ask for all members
        CHECK(m.tile_alike == mask);
        CHECK(m.rounds == 4);
      }
    }
}
