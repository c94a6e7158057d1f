// Groups of several warps: their sync() orders their own threads, and nobody else's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <doctest/doctest.h>

#include <string>

#include "hazards.hpp"
#include <observation/observe.hpp>

namespace cg = cooperative_groups;

namespace {

// Every thread meets others, but never those whose values it reads.
__global__ void other_tile_kernel(int *out) {
  __shared__ int s_data[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid; // other
  tile.sync();
  out[tid] = s_data[tid ^ 64]; // here
}
HAZARD(sync_of_a_wide_tile_is_no_barrier, shared_race) { other_tile_kernel<<<1, 128>>>(m.out); }

// However often a tile meets.
__global__ void global_other_tile_kernel(int *out) {
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const unsigned tid = threadIdx.x;
  if (tid < 64)
    out[tid] = tid; // other
  for (int round = 0; round < 4; ++round)
    tile.sync();
  if (tid >= 64)
    out[tid] = out[tid - 64]; // here
}
HAZARD(sync_of_a_wide_tile_in_global_memory, global_race) {
  global_other_tile_kernel<<<1, 128>>>(m.out);
}

// What came before the meeting is ordered, what comes after it is not.
__global__ void after_the_meeting_kernel(int *out) {
  __shared__ int s_data[64];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const unsigned tid = threadIdx.x;
  tile.sync();
  s_data[tid] = tid; // other
  out[tid] = s_data[63 - tid]; // here
}
HAZARD(access_after_a_wide_tile_met, shared_race) { after_the_meeting_kernel<<<1, 64>>>(m.out); }

__global__ void within_tiles_kernel(int *out) {
  __shared__ int s_data[256];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    s_data[tid] = tid + round;
    tile.sync();
    sum += s_data[tid ^ 63];
    tile.sync();
  }
  const int most = tile.shfl(sum, 5) + tile.any(sum > 3);
  __syncthreads();
  s_data[255 - tid] = most;
  __syncthreads();
  out[tid] = s_data[tid];
}
CORRECT(wide_tiles_among_themselves) { within_tiles_kernel<<<1, 256>>>(m.out); }

// Pairs of warps meet, then pairs of pairs: what was known before is known after.
__global__ void tiles_of_tiles_kernel(int *out) {
  __shared__ int s_data[128];
  const auto block = cg::this_thread_block();
  const auto pair = cg::tiled_partition<64>(block);
  const auto all = cg::tiled_partition<128>(block);
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  pair.sync();
  int sum = s_data[tid ^ 32];
  all.sync();
  s_data[tid ^ 64] = sum; // who has read it met its pair, and then everybody
  all.sync();
  out[tid] = s_data[tid ^ 96];
}
CORRECT(wide_tiles_of_wide_tiles) { tiles_of_tiles_kernel<<<1, 128>>>(m.out); }

// A reduction needs all members of its group.
__global__ void absent_member_kernel(int *out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (tile.thread_rank() == 3)
    return;
  out[threadIdx.x] = cg::reduce(tile, 1, cg::plus<int>()); // here
}
HAZARD(absent_member, invalid_shuffle) { absent_member_kernel<<<1, 32>>>(m.out); }

// Of nine numbers one is left for a second round.
__global__ void uneven_turns_kernel(int *out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int sum = 0;
  for (int i = tile.thread_rank(); i < 9; i += 8)
    sum += cg::reduce(tile, i, cg::plus<int>()); // here
  out[threadIdx.x] = sum;
}
HAZARD(reduces_in_uneven_rounds, invalid_shuffle) { uneven_turns_kernel<<<1, 32>>>(m.out); }

// One thread tells the other tile, through a flag, what its own tile has done.
template <bool Fences> __global__ void told_kernel(int *out) {
  __shared__ int s_flag;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const unsigned tid = threadIdx.x;
  if (tid == 0)
    s_flag = 0;
  __syncthreads();
  if (tid < 64)
    out[tid] = tid; // other
  tile.sync();
  if (tid == 7) {
    if (Fences)
      __threadfence_block();
    atomicExch(&s_flag, 1);
  }
  if (tid >= 64) {
    while (atomicAdd(&s_flag, 0) == 0) {
    }
    if (Fences)
      __threadfence_block();
    out[tid] = out[tid - 64]; // here
  }
}
HAZARD(told_of_a_tile_without_fence, global_race) { told_kernel<false><<<1, 128>>>(m.out); }
CORRECT(told_of_a_tile) { told_kernel<true><<<1, 128>>>(m.out); }

// A grid meets as a block does: here with what another block has written, where there are several.
template <bool Syncs> __global__ void grid_kernel(int *out) {
  const unsigned half = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i; // other
  if (Syncs)
    cg::this_grid().sync();
  out[half + i] = out[half - 1 - i]; // here
}
template <bool Syncs> void launch_grid(int *out, unsigned blocks) {
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel(grid_kernel<Syncs>, blocks, 64, arguments, 0, nullptr);
}
HAZARD(cooperative_launch_without_sync, global_race) { launch_grid<false>(m.out, 1); }
HAZARD(cooperative_blocks_without_sync, global_race) { launch_grid<false>(m.out, 5); }
CORRECT(cooperative_launch_of_one_block) { launch_grid<true>(m.out, 1); }
CORRECT(cooperative_blocks) { launch_grid<true>(m.out, 5); }

// Each block has shared memory of its own, which lives on while others run; in the second round they race.
template <bool Syncs> __global__ void shared_of_a_grid_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    s_data[tid] = tid + blockIdx.x; // other
    cg::this_grid().sync();
    out[blockIdx.x * 64 + tid] = s_data[63 - tid]; // here
    if (Syncs)
      cg::this_grid().sync();
  }
}
template <bool Syncs> void launch_shared_of_a_grid(int *out) {
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel(shared_of_a_grid_kernel<Syncs>, 6, 64, arguments, 0, nullptr);
}
HAZARD(shared_memory_of_cooperative_blocks, shared_race) { launch_shared_of_a_grid<false>(m.out); }
CORRECT(cooperative_blocks_in_rounds) { launch_shared_of_a_grid<true>(m.out); }

TEST_CASE("blocks that live at the same time are counted as others are") {
  const hazards::Memory memory = hazards::fresh_memory();
  emu::start_observing();
  launch_grid<true>(memory.out, 5);
  const emu::Observation seen = emu::stop_observing();
  CHECK(seen.hazards.empty());
  REQUIRE(seen.kernels.size() == 1);
  CHECK(seen.kernels[0].name == "grid_kernel"); // which the launch by a pointer does not write
  CHECK(seen.kernels[0].blocks_traced == 5);
  uint64_t stores = 0;
  for (const emu::LineReport &line : seen.kernels[0].lines)
    stores += line.access == emu::Access::global_store ? line.counts.requests : 0;
  CHECK(stores == 2 * 2 * 5); // stores, warps, blocks
  hazards::release(memory);
}

} // namespace
