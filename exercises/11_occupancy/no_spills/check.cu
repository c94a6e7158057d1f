// Checks no_spills.cu: the registers that any bound leaves, and a kernel whose bound lets it have the most warps per pass.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

struct Bound {
  int threads, blocks;
};

Bound bound_of_weigh();
int kept_by_weigh();
int registers_of(Bound bound);
__global__ void weigh(const unsigned char *in, int n, int first, unsigned *counts);
void weigh_all(const unsigned char *d_in, int n, unsigned *d_counts);

namespace {

constexpr int keys = 88, beside = 11;

int warps_of(const Bound &bound) { return bound.threads / 32 * bound.blocks; }

/// As many as fit, warp by warp.
bool fits(const Bound &bound, int registers) {
  const int of_warp = (32 * registers + 255) / 256 * 256;
  return 4 * (16384 / of_warp) >= warps_of(bound);
}

int most_registers(const Bound &bound) {
  int registers = 255;
  while (!fits(bound, registers))
    --registers;
  return registers;
}

int passes_of(int kept) { return kept > 0 ? (keys + kept - 1) / kept : keys; }

struct Choice {
  int warps, passes;
};

bool more_per_pass(const Choice &one, const Choice &other) {
  return one.warps * other.passes > other.warps * one.passes;
}

/// Warps per pass, to a decimal.
std::string per_pass(const Choice &choice) {
  const int tenths = (10 * choice.warps + choice.passes / 2) / choice.passes;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

Choice most_per_pass() {
  Choice best = {4, keys};
  for (int warps = 1; warps <= 64; ++warps) {
    const int room = most_registers({32, warps}) - beside;
    if (const Choice choice = {warps, passes_of(std::min(keys, room))};
        room > 0 && more_per_pass(choice, best))
      best = choice;
  }
  return best;
}

std::string text_of(const Bound &bound) {
  return "(" + std::to_string(bound.threads) + ", " + std::to_string(bound.blocks) + ")";
}

std::vector<Bound> all_bounds() {
  std::vector<Bound> all = {{256, 5}}; // which the stub tells
  for (int threads = 32; threads <= 1024; threads += 32)
    for (int blocks = 1; blocks <= std::min(32, 2048 / threads); ++blocks)
      all.push_back({threads, blocks});
  return all;
}

void check_registers() {
  std::vector<int> got;
  const std::vector<Bound> bounds = all_bounds();
  for (const Bound &bound : bounds)
    got.push_back(registers_of(bound));
  const auto mistake = [&](const char *diagnosis, auto registers, const char *what) {
    bool holds = true;
    std::size_t first = bounds.size(); // that is wrong
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      holds = holds && got[k] == registers(warps_of(bounds[k]));
      if (first == bounds.size() && got[k] != most_registers(bounds[k]))
        first = k;
    }
    if (holds && first < bounds.size())
      checker::expect(false,
                      diagnosis,
                      what + (" (bound " + text_of(bounds[first])) + ", " +
                          checker::counted(warps_of(bounds[first]), "warp") + ": expected " +
                          std::to_string(most_registers(bounds[first])) + ", got " +
                          std::to_string(got[first]) + ")");
  };
  const auto up_to_255 = [](int registers) { return std::min(255, registers); };
  const auto in_quarters = [](int warps) { return 16384 / ((warps + 3) / 4); };
  for (const bool limited : {true, false}) {
    const auto limit = [&](int registers) { return limited ? up_to_255(registers) : registers; };
    mistake(
        "registers_one_by_one",
        [&](int warps) { return limit(65536 / (32 * warps)); },
        "all registers, divided among all threads. But a warp gets them in units of 256, from one "
        "of four quarters, where some are left over");
    mistake(
        "no_quarters",
        [&](int warps) { return limit(65536 / warps / 256 * 8); },
        "right for one pool of 65536 registers. There are four, and each warp is in one of them: "
        "of 9 warps a quarter has three");
    mistake(
        "no_units",
        [&](int warps) { return limit(in_quarters(warps) / 32); },
        "the share of a warp, as if it could take all of it. A warp takes registers in units of "
        "256: 8 for each thread");
  }
  mistake(
      "one_unit_too_many",
      [&](int warps) { return up_to_255((in_quarters(warps) + 255) / 256 * 8); },
      "the share of a warp is rounded up to units of 256, and so the last warp of a quarter finds "
      "too "
      "few. It is as many units as are whole");
  mistake(
      "of_a_warp",
      [&](int warps) { return up_to_255(in_quarters(warps) / 256 * 256); },
      "that is what a warp gets, and it has 32 threads");
  bool by_blocks = true; // each block in whole rows of four warps
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const int warps = (bounds[k].threads / 32 + 3) / 4 * bounds[k].blocks; // of a quarter
    by_blocks = by_blocks && got[k] == up_to_255(16384 / warps / 256 * 8);
  }
  checker::expect(
      !by_blocks,
      "rounded_by_blocks",
      "right where a block has a multiple of four warps. Others leave a quarter with a warp "
      "less, and the next block goes on there: it is all warps of all blocks that the "
      "quarters share");
  mistake(
      "more_than_255",
      [&](int warps) { return in_quarters(warps) / 256 * 8; },
      "right, but of few warps each thread would get more than 255 registers, and none can have "
      "more");
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const std::string whose = "registers for the bound " + text_of(bounds[k]);
    checker::expect_same(whose + ", " + checker::counted(warps_of(bounds[k]), "warp"),
                         got[k],
                         most_registers(bounds[k]));
  }
}

// Keys that two hands strike, each around a key of its own.
std::vector<unsigned char> strokes(int n) {
  const auto one = checker::random_values<int>(n, 0, 26),
             other = checker::random_values<int>(n, 0, 26);
  const auto hand = checker::random_values<int>(n, 0, 2);
  std::vector<unsigned char> all;
  for (int i = 0; i < n; ++i)
    all.push_back(static_cast<unsigned char>(one[i] + other[i] + (hand[i] == 0 ? 0 : 35)));
  if (n > 1) {
    all[0] = 0;
    all[n - 1] = keys - 1;
  }
  return all;
}

std::optional<emu::Observation> check(const std::vector<unsigned char> &h_in,
                                      std::vector<unsigned> *counts = nullptr) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_counts = checker::on_device(std::vector<unsigned>(keys, 0));
  const std::string what = checker::elements(n, "stroke");
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    weigh_all(d_in.data(), n, d_counts.data());
    error = cudaGetLastError();
  });
  checker::expect(error != cudaErrorInvalidValue,
                  "beyond_the_bound",
                  what +
                      ": the launch is refused. A kernel with __launch_bounds__ takes no block of "
                      "more threads than these say");
  LAB_CHECK(error);
  std::vector<unsigned> expected(keys, 0);
  for (const unsigned char key : h_in)
    ++expected[key];
  const auto got = d_counts.download();
  checker::expect_same("counts of the keys of " + what, got, expected);
  if (counts)
    *counts = got;
  return seen;
}

} // namespace

TEST_CASE("registers for any bound") {
  check_registers();
  checker::record("registers_for_5_of_96", registers_of({96, 5}));
}

TEST_CASE("the most warps per pass") {
  const Bound bound = bound_of_weigh();
  const int kept = kept_by_weigh();
  const std::string whose = "the kernel's bound is " + text_of(bound);
  checker::expect(bound.threads >= 32 && bound.threads <= 1024 && bound.threads % 32 == 0 &&
                      bound.blocks >= 1 && bound.blocks <= 32 &&
                      bound.threads * bound.blocks <= 2048,
                  "no_block",
                  whose + ". A block has whole warps, of 32 to 1024 threads, and a multiprocessor "
                          "holds 32 blocks and 2048 threads at most");
  const int registers = most_registers(bound), needs = beside + kept;
  checker::expect(needs <= registers,
                  "would_spill",
                  whose + ", which leaves " + std::to_string(registers) +
                      " registers to each thread. With " + checker::counted(kept, "count") +
                      " it needs " + std::to_string(needs) + ": the others would spill");
  const Choice choice = {warps_of(bound), passes_of(kept)}, best = most_per_pass();
  const std::string has = whose + ", and a pass counts " + checker::counted(kept, "key") + ": " +
                          checker::counted(choice.warps, "warp") + " on a multiprocessor and " +
                          std::to_string(choice.passes) +
                          (choice.passes == 1 ? " pass, " : " passes, ") + per_pass(choice) +
                          " warps per pass. ";
  checker::expect(kept > 0 && (!more_per_pass(best, choice) || choice.passes <= best.passes),
                  "too_many_passes",
                  has + "More of them are possible, with fewer passes");
  checker::expect(!more_per_pass(best, choice),
                  "too_few_warps",
                  has + "More of them are possible, with more warps");
  cudaFuncAttributes kernel;
  LAB_CHECK(cudaFuncGetAttributes(&kernel, weigh));
  checker::expect(kernel.maxThreadsPerBlock == bound.threads,
                  "numbers_twice",
                  "the kernel takes blocks of " + std::to_string(kernel.maxThreadsPerBlock) +
                      " threads at most, and the constant, bound, is " + text_of(bound) +
                      ". A bound is written once: __launch_bounds__(bound.threads, bound.blocks)");
  if (!lab::on_emulator() && lab::choose_device().compute_major == 9)
    checker::expect(kernel.localSizeBytes == 0 && kernel.numRegs <= registers,
                    "wrong_result",
                    "the kernel spills: which bound?");
}

namespace {

constexpr int cols = keys / 2, rows = 14; // of a picture that the counts draw, two keys to a column

int height(int col) {
  const auto dome = [&](double at, double wide, double high) {
    return high * std::exp(-std::pow((col - at) / wide, 4));
  };
  return static_cast<int>(std::lround(2 + dome(16, 7, 12) + dome(28, 6, 6)));
}

/// What draws it, in any order.
std::vector<unsigned char> music_for_the_eye() {
  std::vector<unsigned char> in_order;
  for (int key = 0; key < keys; ++key)
    in_order.insert(in_order.end(), 5 * height(key / 2), static_cast<unsigned char>(key));
  std::vector<unsigned char> all;
  for (std::size_t i = 0; i < in_order.size(); ++i)
    all.push_back(in_order[i * 7919 % in_order.size()]);
  return all;
}

/// What the learner's function leaves to a thread, and what comes of it.
std::string table(const Bound &chosen) {
  std::string text;
  for (const int warps : {12, 16, 24, 32, 36, 40, 48, 64}) {
    const int registers = registers_of({64, warps / 2}), at_a_time = registers - beside;
    std::string row = "\n";
    const int passes = passes_of(std::min(keys, at_a_time));
    for (const std::string &cell : {std::to_string(warps),
                                    std::to_string(registers),
                                    std::to_string(at_a_time),
                                    std::to_string(passes),
                                    per_pass({warps, passes})})
      row += std::string(10 - cell.size(), ' ') + cell;
    text += row + (warps == warps_of(chosen) ? "  <- yours, " + text_of(chosen)
                   : warps == 40             ? "  <- (256, 5)"
                                             : "");
  }
  return text;
}

} // namespace

TEST_CASE("a piano that draws") {
  checker::unless_failed_before();
  checker::every_size(256, {256}, [](int n, int) {
    if (n > 0)
      check(strokes(n));
  });
  std::vector<unsigned> counts;
  const auto seen = check(music_for_the_eye(), &counts);
  if (!seen)
    return;
  const Bound bound = bound_of_weigh();
  for (const emu::KernelReport &kernel : seen->kernels)
    checker::expect(
        kernel.least_blocks == bound.blocks,
        "numbers_twice",
        "__launch_bounds__ ask for " + checker::counted(kernel.least_blocks, "block") +
            " on a multiprocessor, and the constant, bound, is " + text_of(bound) +
            ". A bound is written once: __launch_bounds__(bound.threads, bound.blocks)");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  std::vector<bool> cells;
  for (int row = rows; row > 0; --row)
    for (int k = 0; k < cols; ++k)
      cells.push_back(counts[2 * k] + counts[2 * k + 1] >= 10u * static_cast<unsigned>(row));
  std::string pass_of;
  for (int k = 0; k < cols; ++k)
    pass_of += static_cast<char>('1' + 2 * k / kept_by_weigh());
  checker::note("What your registers_for() leaves to a thread:\n"
                "     warps registers  keys at    passes     warps\n"
                "                       a time            per pass" +
                table(bound) +
                "\nHow often each key was struck, and in which of your passes it was counted:" +
                checker::picture(cells, cols) + "\n" + pass_of +
                "\nA hat? Ask a child: a boa that has swallowed an elephant.");
}
