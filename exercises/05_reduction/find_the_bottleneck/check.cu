// Checks find_the_bottleneck.cu: how loud each thread's samples are, and a block's, and which unit is the busiest.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

__global__ void loudness(const short *samples, int n, int *of_thread, int *of_block);

namespace {

constexpr int of_each = 4; // samples of a thread
constexpr double of_stub = 310,
                 of_dram = (32 * 2 + 8 * 4) * 32 / 17.8; // cycles, for a block of 256
using Samples = std::vector<short>;

/// The loudest of `count` samples from `first` on, `step` apart, of those that there are.
int loudest(const Samples &samples, int first, int count = of_each, int step = 1) {
  int loud = 0;
  for (int k = 0; k < count; ++k)
    if (const int at = first + k * step; at < static_cast<int>(samples.size()))
      loud = std::max(loud, std::abs(int{samples[at]}));
  return loud;
}

/// Wavefronts of shared memory, for a block.
double cycles_of(const emu::Observation &seen, int grid) {
  using enum emu::Access;
  return static_cast<double>(checker::total(seen, shared_load).wavefronts +
                             checker::total(seen, shared_store).wavefronts +
                             checker::total(seen, shared_atomic).lanes) /
         grid; // lanes whose atomics meet take turns
}

std::optional<emu::Observation> check(const Samples &h_samples, int block) {
  const int n = static_cast<int>(h_samples.size());
  const int grid = static_cast<int>(checker::enough_blocks(n, block * of_each));
  std::vector<int> of_thread, of_block, apart;
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
  auto seen = checker::launch(what, [&] {
    loudness<<<grid, block>>>(d_samples.data(), n, d_thread.data(), d_block.data());
  });
  const auto got = d_thread.download();
  checker::diagnose("samples_apart",
                    got != of_thread && got == apart,
                    what + ": each thread has taken samples that lie " + std::to_string(block) +
                        " apart. Neighbours read neighbours so, but these are other threads' "
                        "samples");
  checker::expect_same("of_thread, " + what, got, of_thread);
  checker::expect_same("of_block, " + what, d_block.download(), of_block);
  return seen;
}

Samples song(int n) {
  Samples samples;
  for (const int sample : checker::random_values<int>(n, -32768, 32767))
    samples.push_back(static_cast<short>(sample));
  return samples;
}

/// A line of a chart.
std::string bar(const char *name, double cycles) {
  std::string line = "\n" + std::string(name);
  for (int i = 0; i < cycles / 8; ++i)
    line += "█";
  return line + " " + std::to_string(std::lround(cycles));
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(32, {64, 128, 256}, [](int n, int block) { check(song(4 * n), block); });
  check({-32768, 32767, 5, 0}, 32);
}

TEST_CASE("shared memory is less busy than DRAM") {
  checker::record("wavefronts_with_a_and_c", 32 + 32 + 8 + 25 + 12);
  constexpr int blocks = 9;
  const auto seen = check(song(blocks * 256 * of_each), 256);
  if (!seen)
    return;
  using enum emu::Access;
  checker::expect_lanes(*seen, global_load, 30.0);
  checker::expect_at_most(
      "sectors_of_samples",
      static_cast<double>(checker::total(*seen, global_load).sectors) / blocks,
      64,
      "uncoalesced",
      "shared memory was spared, at the cost of global memory: the samples of a block lie in 64 "
      "sectors, and several requests ask for the same ones",
      checker::busiest_line(*seen, global_load));
  const double cycles = cycles_of(*seen, blocks);
  checker::expect_at_most(
      "wavefronts_of_a_block",
      cycles,
      of_dram,
      "still_the_busiest",
      cycles < of_stub
          ? "this saves " + std::to_string(std::lround(of_stub - cycles)) +
                " of the 310 wavefronts, and shared memory is still busier than DRAM, which needs "
                "173 cycles. What saves 138?"
          : "the results are right, and shared memory is as busy as before, with 310 wavefronts "
            "for a block. DRAM needs 173 cycles. Which lines of the table hold 138 that can go?");
  checker::note("How long a block keeps them busy, in cycles, by what was counted:" +
                bar("shared memory, the stub's  ", of_stub) +
                bar("shared memory, yours       ", cycles) +
                bar("DRAM                       ", of_dram) +
                "\nWith shuffles, which v7 brings, 11 are enough for shared memory.");
}

TEST_CASE("and so it is in smaller blocks") {
  checker::unless_failed_before();
  for (const int block : {64, 128})
    if (const auto seen = check(song(2 * block * of_each), block))
      checker::expect_at_most("wavefronts_of_a_small_block",
                              cycles_of(*seen, 2),
                              of_dram * block / 256,
                              "still_the_busiest",
                              "blocks of " + std::to_string(block) +
                                  ": shared memory is busier than DRAM, as in the stub");
}

TEST_CASE("a song") {
  constexpr int threads = 32, blocks = 74, rows = 17, of_a_block = threads * of_each,
                n = blocks * of_a_block;
  checker::unless_failed_before();
  // Fish after fish: each has a body and a tail.
  const auto length = checker::random_values<int>(blocks, 12, 26);
  const auto noise = checker::random_values<int>(n, -32768, 32767);
  std::vector<int> loud;
  for (int fish = 0; static_cast<int>(loud.size()) < blocks; ++fish) {
    for (int i = 0; i < length[fish]; ++i) {
      const double at = (i + 0.5) / length[fish]; // from nose to tail
      const double high = at < 0.8 ? std::sin(3.6 * std::sqrt(at / 0.8) - 0.1) + 0.45 * at * at
                                   : 3 * (at - 0.8) + 0.1;
      loud.push_back(static_cast<int>(length[fish] * 1200 * std::max(0.06, high)));
    }
    loud.insert(loud.end(), 2, 0);
  }
  Samples h_samples;
  for (int i = 0; i < n; ++i)
    h_samples.push_back(static_cast<short>(
        i % of_a_block == 77 ? -loud[i / of_a_block] : noise[i] % (loud[i / of_a_block] + 1)));
  checker::unobserved([&] {
    const auto d_samples = checker::on_device(h_samples);
    const auto d_thread = checker::poisoned<int>(blocks * threads),
               d_block = checker::poisoned<int>(blocks);
    loudness<<<blocks, threads>>>(d_samples.data(), n, d_thread.data(), d_block.data());
    const auto got = d_block.download();
    std::vector<bool> cells;
    for (int row = 0; row < rows; ++row)
      for (int block = 0; block < blocks; ++block)
        cells.push_back(std::abs(2 * row + 1 - rows) * 32768 < got[block] * rows);
    checker::note(
        "A song that looks like noise, as loud as your blocks have heard it, one for each "
        "column (another --seed, other fish):" +
        checker::picture(cells, blocks));
  });
}
