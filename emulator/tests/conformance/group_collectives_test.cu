// Reductions, scans and copies of cooperative groups.
#include "conformance.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 256;

__host__ __device__ int value_of(int thread) { return (thread * 37 + 11) % 101 - 50; }

struct Results {
  int sum, least, greatest, all_bits, any_bits, odd_bits, inclusive, exclusive, running_greatest;
  bool operator==(const Results &) const = default;
};

template <class Group> __device__ Results collect(const Group &group, int value) {
  return {cg::reduce(group, value, cg::plus<int>()),
          cg::reduce(group, value, cg::less<int>()),
          cg::reduce(group, value, cg::greater<int>()),
          cg::reduce(group, value, cg::bit_and<int>()),
          cg::reduce(group, value, cg::bit_or<int>()),
          cg::reduce(group, value, cg::bit_xor<int>()),
          cg::inclusive_scan(group, value),
          cg::exclusive_scan(group, value),
          cg::inclusive_scan(group, value, cg::greater<int>())};
}

template <unsigned Size> __global__ void of_tiles(Results *out) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  out[threadIdx.x] = collect(tile, value_of(static_cast<int>(threadIdx.x)));
}

// The lanes whose number is no multiple of 3.
__global__ void of_some_lanes(Results *out) {
  if (threadIdx.x % 32 % 3 != 0)
    out[threadIdx.x] = collect(cg::coalesced_threads(), value_of(static_cast<int>(threadIdx.x)));
}

Results expected(const std::vector<int> &group, size_t rank) {
  const auto fold = [&](auto operation) {
    return std::accumulate(group.begin() + 1, group.end(), group[0], operation);
  };
  const auto end = group.begin() + static_cast<std::ptrdiff_t>(rank);
  const int before = std::accumulate(group.begin(), end, 0);
  return {fold(std::plus()),
          *std::min_element(group.begin(), group.end()),
          *std::max_element(group.begin(), group.end()),
          fold(std::bit_and()),
          fold(std::bit_or()),
          fold(std::bit_xor()),
          before + *end,
          before,
          *std::max_element(group.begin(), end + 1)};
}

void check(const Results &r, const std::vector<int> &group, size_t rank) {
  CAPTURE(group.size());
  CAPTURE(rank);
  REQUIRE(r == expected(group, rank));
}

template <class Kernel> std::vector<Results> run(Kernel kernel) {
  conformance::DeviceArray<Results> out(threads);
  kernel<<<1, threads>>>(out.data());
  return out.to_host();
}

template <class Kernel> void check_tiles(Kernel kernel, int size) {
  const std::vector<Results> results = run(kernel);
  for (int first = 0; first < threads; first += size) {
    std::vector<int> group;
    for (int i = 0; i < size; ++i)
      group.push_back(value_of(first + i));
    for (int i = 0; i < size; ++i)
      check(results[static_cast<size_t>(first + i)], group, static_cast<size_t>(i));
  }
}

TEST_CASE("reductions and scans of tiles") {
  check_tiles(of_tiles<1>, 1);
  check_tiles(of_tiles<2>, 2);
  check_tiles(of_tiles<8>, 8);
  check_tiles(of_tiles<32>, 32);
  check_tiles(of_tiles<64>, 64);
  check_tiles(of_tiles<256>, 256);
}

TEST_CASE("reductions and scans of coalesced threads") {
  const std::vector<Results> results = run(of_some_lanes);
  for (int warp = 0; warp < threads; warp += 32) {
    std::vector<int> group, members;
    for (int lane = 0; lane < 32; ++lane)
      if (lane % 3 != 0) {
        members.push_back(warp + lane);
        group.push_back(value_of(warp + lane));
      }
    for (size_t rank = 0; rank < group.size(); ++rank)
      check(results[static_cast<size_t>(members[rank])], group, rank);
  }
}

/// a, then b: rounded after each addition, and not commutative.
struct Joined {
  float sum;
  int first, last, members;
};
struct Join {
  __host__ __device__ Joined operator()(Joined a, Joined b) const {
    return {a.sum + b.sum, a.first, b.last, a.members + b.members};
  }
};
bool operator==(const Joined &a, const Joined &b) { return std::memcmp(&a, &b, sizeof a) == 0; }

__host__ __device__ Joined joined_of(int thread) {
  return {(thread % 5 == 0 ? 1e6f : 1.0f) / static_cast<float>(thread + 3), thread, thread, 1};
}

/// Of one thread: by reduce, inclusive_scan, exclusive_scan.
struct InOrder {
  Joined all, inclusive, exclusive;
};
template <class Group> __device__ InOrder in_order(const Group &group) {
  const Joined mine = joined_of(static_cast<int>(threadIdx.x));
  return {cg::reduce(group, mine, Join()),
          cg::inclusive_scan(group, mine, Join()),
          cg::exclusive_scan(group, mine, Join())};
}
template <unsigned Size> __global__ void tiles_in_order(InOrder *out) {
  out[threadIdx.x] = in_order(cg::tiled_partition<Size>(cg::this_thread_block()));
}
__global__ void some_lanes_in_order(InOrder *out) {
  if (threadIdx.x % 32 % 3 != 0)
    out[threadIdx.x] = in_order(cg::coalesced_threads());
}

/// What the members have after rounds of shuffles, as CUDA's headers make them.
std::vector<Joined> by_shfl_xor(std::vector<Joined> members) {
  for (size_t mask = members.size() / 2; mask > 0; mask /= 2) {
    const std::vector<Joined> before = members;
    for (size_t i = 0; i < members.size(); ++i)
      members[i] = Join()(before[i], before[i ^ mask]);
  }
  return members;
}
std::vector<Joined> by_shfl_up(std::vector<Joined> members) {
  for (size_t distance = 1; distance < members.size(); distance *= 2) {
    const std::vector<Joined> before = members;
    for (size_t i = distance; i < members.size(); ++i)
      members[i] = Join()(before[i], before[i - distance]);
  }
  return members;
}

TEST_CASE("operations come in the order of CUDA's shuffles: bits, and what is not commutative") {
  conformance::DeviceArray<InOrder> out(static_cast<size_t>(threads));
  const auto check = [&](void (*kernel)(InOrder *), const std::vector<int> &members, bool is_tile) {
    CAPTURE(members.size());
    kernel<<<1, threads>>>(out.data());
    const std::vector<InOrder> results = out.to_host();
    std::vector<Joined> values;
    for (const int thread : members)
      values.push_back(joined_of(thread));
    const std::vector<Joined> upto = by_shfl_up(values);
    const std::vector<Joined> all = is_tile ? by_shfl_xor(values) : values; // a power of 2
    for (size_t rank = 0; rank < members.size(); ++rank) {
      const InOrder &got = results[static_cast<size_t>(members[rank])];
      REQUIRE(got.all == (is_tile ? all[rank] : upto.back()));
      REQUIRE(got.inclusive == upto[rank]);
      REQUIRE(got.exclusive == (rank == 0 ? Joined{} : upto[rank - 1]));
    }
  };
  const auto tile = [](int first, int size) {
    std::vector<int> members(static_cast<size_t>(size));
    std::iota(members.begin(), members.end(), first);
    return members;
  };
  check(tiles_in_order<32>, tile(32, 32), true);
  check(tiles_in_order<16>, tile(16, 16), true);
  check(tiles_in_order<4>, tile(0, 4), true);
  check(tiles_in_order<1>, tile(7, 1), true);
  std::vector<int> some;
  for (int thread = 64; thread < 96; ++thread)
    if (thread % 32 % 3 != 0)
      some.push_back(thread);
  check(some_lanes_in_order, some, false);
}

__global__ void sums_of_warps(float *out) {
  const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  const float mine = joined_of(static_cast<int>(threadIdx.x)).sum;
  out[threadIdx.x] = cg::reduce(tile, mine, cg::plus<float>());
  out[threads + threadIdx.x] = cg::inclusive_scan(tile, mine);
  out[2 * threads + threadIdx.x] = cg::exclusive_scan(tile, mine);
}

TEST_CASE("a tile of several warps: first within them, then of them") {
  conformance::DeviceArray<float> out(3 * threads);
  sums_of_warps<<<1, threads>>>(out.data());
  const std::vector<float> results = out.to_host();
  std::vector<Joined> totals, lasts;
  std::vector<std::vector<Joined>> upto;
  for (int warp = 0; warp < 4; ++warp) {
    std::vector<Joined> values;
    for (int lane = 0; lane < 32; ++lane)
      values.push_back(joined_of(32 * warp + lane));
    totals.push_back(by_shfl_xor(values)[0]);
    upto.push_back(by_shfl_up(values));
    lasts.push_back(upto.back().back());
  }
  const std::vector<Joined> before = by_shfl_up(lasts);
  for (size_t i = 0; i < 128; ++i) {
    CAPTURE(i);
    const size_t warp = i / 32, lane = i % 32;
    const float within = upto[warp][lane].sum, lower = lane > 0 ? upto[warp][lane - 1].sum : 0;
    const float earlier = warp > 0 ? before[warp - 1].sum : 0;
    REQUIRE(results[i] == by_shfl_xor(totals)[0].sum);
    REQUIRE(results[threads + i] == (warp > 0 ? within + earlier : within));
    REQUIRE(results[2 * threads + i] == lower + earlier);
  }
}

struct Point {
  float x, y, z;
};

__global__ void own_operation(float *out) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const float t = static_cast<float>(threadIdx.x);
  const auto add = [](Point a, Point b) { return Point{a.x + b.x, a.y + b.y, a.z + b.z}; };
  const Point sum = cg::reduce(tile, Point{t, 2 * t, 1}, add);
  out[threadIdx.x] = sum.x * 10000 + sum.y + sum.z / 64;
}

TEST_CASE("reductions of own types with own operations") {
  conformance::DeviceArray<float> out(32);
  own_operation<<<1, 32>>>(out.data());
  for (const float value : out.to_host())
    REQUIRE(value == 496 * 10000 + 992 + 0.5f);
}

__global__ void updates(int *out, int *total) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(total[0]);
  cuda::atomic_ref<int, cuda::thread_scope_device> places(total[1]);
  cg::reduce_update_async(tile, sum, 1, cg::plus<int>());
  const int wanted = 1 + static_cast<int>(threadIdx.x) % 3;
  const int begin = cg::exclusive_scan_update(tile, places, wanted, cg::plus<int>());
  for (int i = 0; i < wanted; ++i)
    atomicAdd(&out[begin + i], 1);
}

TEST_CASE("groups that share a variable: every thread gets places of its own") {
  int places = 0;
  for (int t = 0; t < threads; ++t)
    places += 1 + t % 3;
  conformance::DeviceArray<int> out(std::vector<int>(static_cast<size_t>(places), 0));
  conformance::DeviceArray<int> total(std::vector<int>{0, 0});
  updates<<<1, threads>>>(out.data(), total.data());
  CHECK(total.to_host() == std::vector<int>{threads, places});
  for (const int count : out.to_host())
    REQUIRE(count == 1);
}

__global__ void staged(int *out, const int *in, int elements) {
  extern __shared__ int s_copy[];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s_copy, in, sizeof(int) * static_cast<size_t>(elements));
  cg::wait(block);
  for (int i = static_cast<int>(block.thread_rank()); i < elements;
       i += static_cast<int>(block.size()))
    out[i] = s_copy[elements - 1 - i];
}

__global__ void staged_by_tiles(int *out, const int *in) {
  __shared__ int s_copy[threads];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned first = tile.meta_group_rank() * 32;
  cg::memcpy_async(tile, s_copy + first, 32, in + first, 40);
  cg::wait_prior<0>(tile);
  out[threadIdx.x] = s_copy[first + (31 - tile.thread_rank())];
}

TEST_CASE("copies made by a group") {
  for (const int elements : {1, 3, 4, 255, 256, 1001}) {
    CAPTURE(elements);
    std::vector<int> values(static_cast<size_t>(elements));
    std::iota(values.begin(), values.end(), 5);
    const conformance::DeviceArray<int> in(values);
    conformance::DeviceArray<int> out(values.size());
    staged<<<1, 64, sizeof(int) * values.size()>>>(out.data(), in.data(), elements);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    std::reverse(values.begin(), values.end());
    CHECK(out.to_host() == values);
  }
  std::vector<int> values(threads + 8);
  std::iota(values.begin(), values.end(), 0);
  const conformance::DeviceArray<int> in(values);
  conformance::DeviceArray<int> out(threads);
  staged_by_tiles<<<1, threads>>>(out.data(), in.data());
  const std::vector<int> turned = out.to_host();
  for (int t = 0; t < threads; ++t)
    REQUIRE(turned[static_cast<size_t>(t)] == (t ^ 31));
}

} // namespace
