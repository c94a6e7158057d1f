// Checks find_the_bottleneck.cu: how loud each thread's samples are, and a block's; a wavefront for each request; no more memory.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

__global__ void loudness(const int *samples, int n, int *of_thread, int *of_block);

namespace {

constexpr int of_each = 32; // samples of a thread
using Samples = std::vector<int>;

/// The loudest of `count` samples from `first` on, `step` apart, of those that there are.
int loudest(const Samples &samples, int first, int count = of_each, int step = 1) {
  int loud = 0;
  for (int k = 0; k < count; ++k)
    if (const int at = first + k * step; at < static_cast<int>(samples.size()))
      loud = std::max(loud, std::abs(samples[at]));
  return loud;
}

std::optional<emu::Observation> check(const Samples &h_samples, int block) {
  const int n = static_cast<int>(h_samples.size());
  const int grid = static_cast<int>(checker::enough_blocks(n, block * of_each));
  Samples of_thread, of_block, apart;
  for (int thread = 0; thread < grid * block; ++thread) {
    const int first = thread / block * block * of_each; // of its block
    of_thread.push_back(loudest(h_samples, of_each * thread));
    apart.push_back(loudest(h_samples, first + thread % block, of_each, block));
  }
  for (int b = 0; b < grid; ++b)
    of_block.push_back(loudest(h_samples, b * block * of_each, block * of_each));
  const auto d_samples = checker::on_device(h_samples);
  const auto d_thread = checker::poisoned<int>(static_cast<std::size_t>(grid) * block);
  const auto d_block = checker::poisoned<int>(static_cast<std::size_t>(grid));
  const std::string what = checker::counted(n, "sample") + " in blocks of " + std::to_string(block);
  checker::perhaps("A thread has samples 32 * tid to 32 * tid + 31 of its block. It may begin with "
                   "any of them, and behind the last comes the first",
                   "out_of_bounds");
  checker::perhaps("A thread has samples 32 * tid to 32 * tid + 31 of its block. It may begin with "
                   "any of them, and behind the last comes the first",
                   "uninitialised");
  auto seen = checker::launch(what, [&] {
    loudness<<<grid, block>>>(d_samples.data(), n, d_thread.data(), d_block.data());
  });
  const auto got = d_thread.download();
  const auto looks_like = [&](const Samples &those) { return got != of_thread && got == those; };
  checker::diagnose("samples_apart",
                    looks_like(apart),
                    what + ": each thread has taken samples that lie " + std::to_string(block) +
                        " apart. No lanes meet in a bank so, but these are other threads' "
                        "samples: the order may change, and not whose they are");
  checker::expect_same("of_thread, " + what, got, of_thread);
  checker::expect_same("of_block, " + what, d_block.download(), of_block);
  return seen;
}

Samples song(int n) { return checker::random_values<int>(n, -32768, 32767); }

/// How many of a warp's lanes meet in a bank if each has so many samples, and lane k begins with its sample k.
double lanes_in_a_bank(int samples) {
  std::vector<int> lanes(32, 0);
  for (int lane = 0; lane < 32; ++lane)
    ++lanes[(lane * samples + lane % samples) % 32];
  return *std::max_element(lanes.begin(), lanes.end());
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(32, {64, 128, 256}, [](int n, int block) { check(song(n), block); });
  check(song(3 * of_each * 64 + 1), 64);
  check({-32768, 32767, 5}, 32);
}

TEST_CASE("no more memory") {
  cudaFuncAttributes attributes{};
  LAB_CHECK(cudaFuncGetAttributes(&attributes, loudness));
  checker::expect_at_most("bytes_of_shared_memory",
                          static_cast<double>(attributes.sharedSizeBytes),
                          33.0 * 1024,
                          "more_memory",
                          "a word that is left free parts the lanes, too, but none is to be had: "
                          "the samples fill what there is. Which order does a maximum need?");
}

TEST_CASE("a wavefront for each request") {
  checker::record("lanes_in_a_bank_with_16", lanes_in_a_bank(16));
  const auto h_samples = song(2 * 256 * of_each);
  const auto seen = check(h_samples, 256);
  if (!seen)
    return;
  using enum emu::Access;
  checker::expect_each_loaded_once(*seen, h_samples.size());
  checker::expect_cost_at_most(
      *seen,
      global_load,
      4.0,
      "uncoalesced",
      "lanes that load their own samples from global memory are 128 bytes apart. The way through "
      "shared memory is there to avoid that");
  const auto loads = checker::total(*seen, shared_load);
  checker::expect_cost_at_most(
      *seen,
      shared_load,
      1.0,
      loads.max_conflict >= 32 ? "still_the_busiest" : "bank_conflict",
      loads.max_conflict >= 32
          ? "the results are right, and shared memory is as busy as before: 256 requests for "
            "samples take 32 wavefronts each, 8192 in a block, and the tree takes 24 in all. "
            "Which of the four cures changes what the 256 cost?"
          : "this is the cure, but up to " + std::to_string(loads.max_conflict) +
                " lanes still wait for one bank. Word w lies in bank w % 32: for a given k, all "
                "32 lanes have to be in different ones");
  checker::expect_lanes_or_shuffles(*seen, shared_load, 24.0);
}

TEST_CASE("a song") {
  constexpr int threads = 74, rows = 16, blocks = 3;
  checker::unless_failed_before();
  // Four beats, each of which dies away, with a tune on top.
  const auto noise = checker::random_values<int>(threads * of_each, -1000, 1000);
  Samples h_samples;
  for (int i = 0; i < threads * of_each; ++i) {
    const double since = i % (threads * of_each / 4) / 592.0; // [0, 1) of a beat
    const double loud = 27000 * std::exp(-5 * since) + 6000 * std::sin(6.3 * since) * since;
    h_samples.push_back(static_cast<int>(loud * std::sin(0.7 * i)) + noise[i]);
  }
  checker::unobserved([&] {
    const auto d_samples = checker::on_device(h_samples);
    const auto d_thread = checker::poisoned<int>(blocks * 32), d_block = checker::poisoned<int>(3);
    loudness<<<blocks, 32>>>(d_samples.data(), threads * of_each, d_thread.data(), d_block.data());
    const auto got = d_thread.download();
    std::vector<bool> cells;
    for (int row = 0; row < rows; ++row)
      for (int thread = 0; thread < threads; ++thread)
        cells.push_back(std::abs(2 * row + 1 - rows) * 28000 < std::abs(got[thread]) * rows);
    checker::note("Four beats of a song, as your threads have heard them, 32 samples each:" +
                  checker::picture(cells, threads));
  });
}
