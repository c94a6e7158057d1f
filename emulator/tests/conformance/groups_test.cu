// Cooperative groups: who is in them, and how their members meet.
#include "conformance.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 128;

// What each of `threads` threads of a block computes.
template <class Kernel> std::vector<int> per_thread(Kernel kernel, int count = threads) {
  conformance::DeviceArray<int> out(static_cast<size_t>(count));
  kernel<<<1, count>>>(out.data());
  return out.to_host();
}

void check_all(const std::vector<int> &values, int expected) {
  for (size_t i = 0; i < values.size(); ++i) {
    CAPTURE(i);
    REQUIRE(values[i] == expected);
  }
}

__global__ void block_shape(int *out) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::grid_group grid = cg::this_grid();
  const dim3 group = block.group_index(), index = block.thread_index(), dim = block.group_dim();
  const unsigned rank = index.x + dim.x * (index.y + dim.y * index.z);
  const unsigned block_rank = group.x + gridDim.x * (group.y + gridDim.y * group.z);
  const bool right = block.thread_rank() == rank && block.size() == dim.x * dim.y * dim.z &&
                     block.num_threads() == block.size() && grid.block_rank() == block_rank &&
                     grid.num_blocks() == gridDim.x * gridDim.y * gridDim.z &&
                     grid.thread_rank() == block_rank * block.size() + rank &&
                     grid.size() == grid.num_blocks() * block.size();
  block.sync();
  cg::sync(block);
  out[grid.thread_rank()] = right;
}

TEST_CASE("blocks and grids know their shapes") {
  const dim3 grid(2, 3, 2), block(4, 3, 5);
  conformance::DeviceArray<int> out(12 * 60);
  block_shape<<<grid, block>>>(out.data());
  check_all(out.to_host(), 1);
}

// Every tile turns its values around, and its members count what they see.
template <unsigned Size> __global__ void tile_members(int *out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<Size>(block);
  const int rank = static_cast<int>(tile.thread_rank()), me = static_cast<int>(threadIdx.x);
  const int first = me - rank;
  bool right = tile.size() == Size && rank == me % static_cast<int>(Size) &&
               tile.meta_group_rank() == threadIdx.x / Size &&
               tile.meta_group_size() == (threads + Size - 1) / Size;
  right = right && tile.shfl(me, static_cast<int>(Size) - 1) == first + static_cast<int>(Size) - 1;
  right = right && tile.any(rank == 0) && !tile.all(rank == 0 && Size > 1) && tile.all(true);
  tile.sync();
  if constexpr (Size <= 32) {
    right = right && tile.shfl_down(me, 1) == (rank + 1 < static_cast<int>(Size) ? me + 1 : me);
    right = right && tile.shfl_up(me, 1) == (rank > 0 ? me - 1 : me);
    right = right && tile.shfl_xor(me, Size / 2) == (me ^ static_cast<int>(Size / 2));
    right = right && tile.ballot(rank % 2 == 0) == (0x55555555u & (~0u >> (32 - Size)));
    const unsigned odd = 0xaaaaaaaau & (~0u >> (32 - Size)), even = odd >> 1;
    right = right && (Size == 1 || tile.match_any(rank % 2) == (rank % 2 ? odd : even));
    int equal = 0;
    right = right && tile.match_all(7, equal) == ~0u >> (32 - Size) && equal == 1;
  }
  out[threadIdx.x] = right;
}

TEST_CASE("tiles of every size") {
  check_all(per_thread(tile_members<1>), 1);
  check_all(per_thread(tile_members<2>), 1);
  check_all(per_thread(tile_members<4>), 1);
  check_all(per_thread(tile_members<8>), 1);
  check_all(per_thread(tile_members<16>), 1);
  check_all(per_thread(tile_members<32>), 1);
  check_all(per_thread(tile_members<64>), 1);
  check_all(per_thread(tile_members<128>), 1);
}

struct Large {
  double a, b, c;
};

__global__ void large_values(int *out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const double rank = tile.thread_rank();
  const Large mine = {rank, 2 * rank, 3 * rank};
  const Large other = tile.shfl(mine, 5), below = tile.shfl_up(mine, 3);
  const double expected = rank >= 3 ? rank - 3 : rank;
  out[threadIdx.x] = other.a == 5 && other.b == 10 && other.c == 15 && below.a == expected &&
                     below.b == 2 * expected && below.c == 3 * expected;
}

TEST_CASE("values of more than eight bytes") { check_all(per_thread(large_values), 1); }

// Tiles of several warps run at different speeds: only their own barriers hold them together.
__global__ void tiles_of_warps(int *out) {
  __shared__ int s_turn[threads];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int rounds = tile.meta_group_rank() == 0 ? 3 : 10;
  int value = static_cast<int>(tile.thread_rank());
  for (int i = 0; i < rounds; ++i) {
    s_turn[threadIdx.x] = value;
    tile.sync();
    const unsigned first = tile.meta_group_rank() * 64;
    value = s_turn[first + (tile.thread_rank() + 1) % 64];
    tile.sync();
  }
  out[threadIdx.x] = value == (static_cast<int>(tile.thread_rank()) + rounds) % 64;
}

TEST_CASE("tiles of several warps have barriers of their own") {
  check_all(per_thread(tiles_of_warps), 1);
}

__global__ void nested(int *out) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quarter = cg::tiled_partition<8>(warp);
  const cg::thread_block_tile<8> plain = quarter; // without its parent's type
  const cg::thread_group any = cg::tiled_partition(block, 4);
  const cg::thread_group part = cg::tiled_partition(any, 2);
  any.sync();
  part.sync();
  out[threadIdx.x] = quarter.meta_group_rank() == threadIdx.x % 32 / 8 &&
                     quarter.meta_group_size() == 4 && plain.thread_rank() == threadIdx.x % 8 &&
                     any.size() == 4 && any.thread_rank() == threadIdx.x % 4 && part.size() == 2 &&
                     part.thread_rank() == threadIdx.x % 2 && cg::this_thread().size() == 1;
}

TEST_CASE("tiles of tiles, and tiles of a size known at run time") {
  check_all(per_thread(nested), 1);
}

// Works for any group that it is given.
__device__ int sum_of_ranks(cg::thread_group group, int *place) {
  int total = 0;
  for (unsigned long long turn = 0; turn < group.size(); ++turn) {
    if (group.thread_rank() == turn)
      *place = static_cast<int>(turn) + (turn == 0 ? 0 : *place);
    group.sync();
  }
  total = *place;
  group.sync();
  return total;
}

__global__ void any_group(int *out) {
  __shared__ int s_place[threads];
  const auto block = cg::this_thread_block();
  const bool block_right = sum_of_ranks(block, s_place) == threads * (threads - 1) / 2;
  const auto tile = cg::tiled_partition<16>(block);
  const bool tile_right = sum_of_ranks(tile, s_place + tile.meta_group_rank()) == 120;
  out[threadIdx.x] = block_right && tile_right;
}

TEST_CASE("a function can take any group") { check_all(per_thread(any_group), 1); }

__global__ void coalesced(int *out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x % 3 == 1) {
    const cg::coalesced_group active = cg::coalesced_threads();
    const unsigned lane = threadIdx.x % 32, first = (threadIdx.x - lane) % 3 == 0   ? 1
                                                    : (threadIdx.x - lane) % 3 == 1 ? 0
                                                                                    : 2;
    const unsigned count = (31 - first) / 3 + 1, rank = (lane - first) / 3;
    const int me = static_cast<int>(threadIdx.x);
    bool right = active.size() == count && active.thread_rank() == rank;
    right = right && active.shfl(me, 2) == static_cast<int>(threadIdx.x - lane + first + 6);
    right = right && active.shfl_down(me, 2) == (rank + 2 < count ? me + 6 : me);
    right = right && active.shfl_up(me, 1) == (rank >= 1 ? me - 3 : me);
    right = right && active.ballot(rank == 1 || rank == 4) == 18;
    right = right && active.any(rank == 3) && !active.all(rank == 3);
    right = right && active.match_any(static_cast<int>(rank < 2)) ==
                         (rank < 2 ? 3u : ((1u << count) - 1) & ~3u);
    active.sync();
    out[threadIdx.x] = right;
  }
}

TEST_CASE("the threads that have come together") { check_all(per_thread(coalesced), 1); }

__device__ unsigned came_together() { return cg::coalesced_threads().num_threads(); }

// Lanes of two branches never come together, though both call one function.
__global__ void two_branches(int *out) {
  const bool third = threadIdx.x % 3 == 0;
  const unsigned before = __ballot_sync(~0u, third);
  unsigned count;
  if (third)
    count = came_together();
  else
    count = 100 + came_together();
  const auto thirds = static_cast<unsigned>(__popc(before));
  out[threadIdx.x] = third ? count <= thirds : count - 100 <= 32 - thirds;
}

TEST_CASE("lanes of two branches that call one function are apart") {
  check_all(per_thread(two_branches), 1);
}

__device__ __noinline__ unsigned and_one_more() { return 1 + came_together(); }
__device__ __noinline__ unsigned and_two_more() { return 1 + and_one_more(); }

__global__ void two_branches_and_a_function_between(int *out) {
  const bool third = threadIdx.x % 3 == 0;
  const auto thirds = static_cast<unsigned>(__popc(__ballot_sync(~0u, third)));
  const unsigned count = third ? and_two_more() : 100 + and_two_more();
  out[threadIdx.x] = third ? count <= thirds + 2 : count - 100 <= 32 - thirds + 2;
}

TEST_CASE("lanes are apart where the function that both branches call calls another one") {
  check_all(per_thread(two_branches_and_a_function_between), 1);
}

__global__ void partitions(int *out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned lane = warp.thread_rank();
  const cg::coalesced_group odd_or_even = cg::binary_partition(warp, lane % 2 == 1);
  bool right = odd_or_even.size() == 16 && odd_or_even.thread_rank() == lane / 2 &&
               odd_or_even.meta_group_rank() == lane % 2 && odd_or_even.meta_group_size() == 2;
  const cg::coalesced_group by_label = cg::labeled_partition(warp, (lane * lane) % 4 + 7);
  right = right && by_label.size() == 16 && by_label.meta_group_rank() == lane % 2;
  const cg::coalesced_group thirds = cg::labeled_partition(odd_or_even, lane / 12);
  const unsigned sizes[3] = {6, 6, 4};
  right = right && thirds.size() == sizes[lane / 12] && thirds.meta_group_size() == 3 &&
          thirds.meta_group_rank() == lane / 12;
  const cg::coalesced_group pairs = cg::tiled_partition(thirds, 2);
  right = right && pairs.size() == 2 && pairs.thread_rank() == thirds.thread_rank() % 2;
  const cg::coalesced_group all = cg::binary_partition(warp, true);
  right = right && all.size() == 32 && all.meta_group_size() == 1;
  out[threadIdx.x] = right;
}

TEST_CASE("parts of a warp by a predicate or a label") { check_all(per_thread(partitions), 1); }

__global__ void one_for_all(int *out) {
  __shared__ int s_count;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    s_count = 0;
  block.sync();
  const auto tile = cg::tiled_partition<8>(block);
  cg::invoke_one(tile, [&] { atomicAdd(&s_count, 1); });
  const int base = cg::invoke_one_broadcast(tile, [&] { return static_cast<int>(threadIdx.x); });
  block.sync();
  // On a device any member may be the one; it is one of the tile's.
  out[threadIdx.x] = s_count == threads / 8 && base / 8 == static_cast<int>(threadIdx.x) / 8;
}

TEST_CASE("one member acts for all") { check_all(per_thread(one_for_all), 1); }

// ------------------------------------------------------------------------------- the whole grid

// Block b writes, all meet, and block b reads what block b + 1 has written; many times.
__global__ void around(int *out, int *ring, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int blocks = static_cast<int>(gridDim.x), b = static_cast<int>(blockIdx.x);
  int value = b;
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x == 0)
      ring[b] = value;
    grid.sync();
    value = ring[(b + 1) % blocks];
    grid.sync();
  }
  out[grid.thread_rank()] = grid.is_valid() && value == (b + rounds) % blocks;
}

void check_around(int blocks, int block_size) {
  CAPTURE(blocks);
  CAPTURE(block_size);
  conformance::DeviceArray<int> out(static_cast<size_t>(blocks * block_size));
  conformance::DeviceArray<int> ring(static_cast<size_t>(blocks));
  int *out_data = out.data(), *ring_data = ring.data(), rounds = 5;
  void *arguments[] = {&out_data, &ring_data, &rounds};
  REQUIRE(cudaLaunchCooperativeKernel(
              (void *)around, dim3(blocks), dim3(block_size), arguments, 0, nullptr) ==
          cudaSuccess);
  check_all(out.to_host(), 1);
}

TEST_CASE("the blocks of a cooperative launch wait for each other") {
  check_around(1, 1);
  check_around(2, 32);
  check_around(7, 1);
  check_around(20, 48);
  check_around(13, 1024);
  check_around(100, 256);
}

// A barrier made of atomics needs nothing but that all blocks run.
__global__ void own_barrier(int *out, unsigned *arrived) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

TEST_CASE("blocks of a cooperative launch can wait for each other through memory") {
  conformance::DeviceArray<int> out(50 * 64);
  conformance::DeviceArray<unsigned> arrived(std::vector<unsigned>{0});
  int *out_data = out.data();
  unsigned *arrived_data = arrived.data();
  void *arguments[] = {&out_data, &arrived_data};
  REQUIRE(cudaLaunchCooperativeKernel(own_barrier, dim3(50), dim3(64), arguments, 0, nullptr) ==
          cudaSuccess);
  check_all(out.to_host(), 1);
}

} // namespace
