// What lanes of a warp give each other, in programs whose accesses are instrumented: there others may come between
// any two steps of a lane, also while it reads what it was given.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <emu/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

constexpr int lanes = 32, rounds = 4, seeds = 64;
constexpr unsigned everybody = ~0u;

__host__ __device__ unsigned value_of(int lane, int round) {
  return static_cast<unsigned>((lane * 7 + round * 5) % (round + 2));
}

/// Peers are the lanes with the same value: as many groups as there are values, each on its own.
__global__ void reduce_among_peers(unsigned *out) {
  const int lane = static_cast<int>(threadIdx.x);
  unsigned all = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned value = value_of(lane, round);
    const unsigned peers = __match_any_sync(everybody, value);
    all += __reduce_min_sync(peers, value) + 100 * static_cast<unsigned>(__popc(peers));
  }
  out[lane] = all;
}

__global__ void shuffle_among_peers(unsigned *out) {
  const int lane = static_cast<int>(threadIdx.x);
  unsigned all = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned value = value_of(lane, round);
    const unsigned peers = __match_any_sync(everybody, value);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    all += __shfl_sync(peers, value, leader) + 100 * static_cast<unsigned>(__popc(peers));
  }
  out[lane] = all;
}

__global__ void shuffle_in_rounds(unsigned *out) {
  const int lane = static_cast<int>(threadIdx.x);
  unsigned all = 0;
  for (int round = 0; round < rounds; ++round) {
    unsigned sum = value_of(lane, round);
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(everybody, sum, distance);
    all += sum;
  }
  out[lane] = all;
}

__global__ void count_without_atomics(unsigned *count) {
  const unsigned before = *count;
  __syncthreads();
  *count = before + 1;
}

std::vector<unsigned> expected_of_peers() {
  std::vector<unsigned> all(lanes);
  for (int lane = 0; lane < lanes; ++lane)
    for (int round = 0; round < rounds; ++round) {
      unsigned peers = 0;
      for (int other = 0; other < lanes; ++other)
        peers += value_of(other, round) == value_of(lane, round);
      all[static_cast<size_t>(lane)] += value_of(lane, round) + 100 * peers;
    }
  return all;
}

std::vector<unsigned> expected_of_rounds() {
  unsigned sum = 0;
  for (int lane = 0; lane < lanes; ++lane)
    for (int round = 0; round < rounds; ++round)
      sum += value_of(lane, round);
  return std::vector<unsigned>(lanes, sum);
}

/// The first seed under which the kernel fails or gives something else; 0: none.
template <class Kernel> int first_bad_seed(Kernel kernel, const std::vector<unsigned> &expected) {
  unsigned *out = nullptr;
  REQUIRE(cudaMallocManaged(&out, lanes * sizeof *out) == cudaSuccess);
  int bad = 0;
  for (int seed = 1; seed <= seeds && bad == 0; ++seed) {
    emu::set_schedule(static_cast<uint64_t>(seed));
    std::fill(out, out + lanes, ~0u);
    kernel<<<1, lanes>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess ||
        !std::equal(expected.begin(), expected.end(), out))
      bad = seed;
  }
  emu::set_schedule(0);
  CHECK((bad != 0 ? cudaDeviceReset() : cudaFree(out)) == cudaSuccess);
  return bad;
}

} // namespace

TEST_CASE("what a lane was given stays until it has read it, whoever comes in between") {
  CHECK(first_bad_seed(reduce_among_peers, expected_of_peers()) == 0);
  CHECK(first_bad_seed(shuffle_among_peers, expected_of_peers()) == 0);
  CHECK(first_bad_seed(shuffle_in_rounds, expected_of_rounds()) == 0);
}

TEST_CASE("a block comes between two plain accesses of another one") {
  constexpr unsigned blocks = 8;
  unsigned *count = nullptr;
  REQUIRE(cudaMallocManaged(&count, sizeof *count) == cudaSuccess);
  int lost = 0; // under how many seeds
  for (int seed = 1; seed <= seeds; ++seed) {
    emu::set_schedule(static_cast<uint64_t>(seed));
    *count = 0;
    count_without_atomics<<<blocks, 1>>>(count);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    lost += *count < blocks;
  }
  emu::set_schedule(0);
  CHECK(lost > 0);
  CHECK(cudaFree(count) == cudaSuccess);
}
