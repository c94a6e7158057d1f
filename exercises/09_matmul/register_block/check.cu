// Checks register_block.cu: the product, with sixteen loads from shared memory for 64 multiply-adds, each in one round.
#include "products.hpp"

#include <algorithm>
#include <map>

__global__ void multiply(const float *A, const float *B, float *C, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 64;
  const dim3 grid(N / tile, M / tile);
  return check_product(M, N, K, tile, [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(8, 8)>>>(A, B, C, N, K);
  });
}

/// A load's rounds: a row for each, a column for each bank, and a letter for the first lane that wants the word there.
std::string rounds_of(const emu::RequestSample &load) {
  std::map<std::uint64_t, int> lane_of; // of a word
  for (int lane = 0; lane < 32; ++lane)
    if (load.active >> lane & 1)
      lane_of.emplace(load.address[lane] / 4, lane);
  std::vector<std::string> rounds;
  for (const auto &[word, lane] : lane_of) {
    const auto bank = static_cast<std::size_t>(word % 32);
    const auto free = std::find_if(
        rounds.begin(), rounds.end(), [&](const std::string &round) { return round[bank] == '.'; });
    const std::size_t at = free - rounds.begin();
    if (free == rounds.end())
      rounds.emplace_back(32, '.');
    rounds[at][bank] = "abcdefghijklmnopqrstuvwxyzABCDEF"[lane];
  }
  std::string text;
  for (const std::string &round : rounds)
    text += "\n  " + round;
  return text;
}

} // namespace

TEST_CASE("one tile") { check(64, 64, 8); }

TEST_CASE("tiles side by side, and one below the other") {
  check(64, 128, 24);
  check(128, 64, 16);
  check(64, 64, 0);
}

TEST_CASE("sixteen loads for 64 products") {
  const int M = 64, N = 64, K = 64;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  expect_tiles(*seen, M, N, K, 64);
  const double products = static_cast<double>(M) * N * K / 32.0; // of a warp
  const auto loads = checker::total(*seen, emu::Access::shared_load);
  checker::record("shared_load_requests", static_cast<double>(loads.requests));
  checker::expect_at_most(
      "shared_loads_per_product",
      static_cast<double>(loads.requests) / products,
      16.0 / 64 + 0.01,
      "too_many_loads",
      "there are more loads from shared memory than 16 for 64 multiply-adds. Eight elements of s_A "
      "and eight of s_B, in registers, make 64 products");
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_load,
      1.01,
      "bank_conflicts",
      "there are 16 loads for 64 multiply-adds, but not each takes one round: lanes that load "
      "other "
      "words meet in a bank. Which results a thread has decides which words its lane loads");
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_store,
      8.01,
      "sectors_of_c",
      "each load takes one round, but C is written a number here and a number there: a warp's "
      "store takes a sector of C for each lane, where 8 would do. Which of its lanes have results "
      "side by side?");
  std::string text =
      "Loads of your warps, a column for each bank and a row for each round, where a lane's letter "
      "is the word that it wants. As you found it, of s_A:";
  emu::RequestSample before{0xff};
  for (int y = 0; y < 8; ++y)
    before.address[y] = 4 * 8 * y;
  text += rounds_of(before) + "\nYours:";
  for (const emu::KernelReport &kernel : seen->kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == emu::Access::shared_load && line.access_bytes == 4)
        text += rounds_of(line.worst);
  checker::note(text);
}
