// Checks no_spills.cu: the choice among drawn lines, and a kernel with a bound that is launched within it.
#include "checker/nasty.hpp"

#include <algorithm>

struct Line {
  int threads, blocks, registers, spilled;
};

int warps_that_fit(const Line &line);
int choose(const Line *lines, int n);
__global__ void weigh(const unsigned *in, int n, unsigned *out);
void weigh_all(const unsigned *d_in, int n, unsigned *d_out);

namespace {

using Lines = std::vector<Line>;

int drawn(int low, int high) { return checker::random_values<int>(1, low, high)[0]; }

/// Warps on an H200's multiprocessor.
int warps(const Line &line) {
  const int of_block = line.threads / 32;
  const int of_warp = (32 * line.registers + 255) / 256 * 256;
  return of_block * std::min({64 / of_block, 32, 4 * (16384 / of_warp) / of_block});
}

Line draw() {
  Line line = {32 * drawn(2, 32), 0, drawn(24, 128), drawn(0, 1) * 4 * drawn(1, 60)};
  if (warps(line) == 0)
    line.registers = 32 + line.registers / 4;
  line.blocks = drawn(1, std::max(1, 2048 / line.threads));
  return line;
}

/// Five bounds of the same kernel: the first are the exercise's own.
std::vector<Lines> tables() {
  std::vector<Lines> all = {{{1024, 1, 51, 0}, //
                             {512, 3, 40, 76},
                             {256, 5, 48, 0},
                             {256, 8, 32, 148},
                             {64, 16, 53, 0}}};
  for (int i = 0; i < 100; ++i) {
    all.emplace_back();
    for (int line = 0; line < 5; ++line)
      all.back().push_back(draw());
  }
  all.push_back({{256, 5, 48, 0}, {128, 10, 48, 0}, {256, 4, 48, 0}}); // as many warps each
  all.push_back({{256, 6, 40, 120}, {256, 8, 32, 212}});
  return all;
}

/// The first line with the largest value; lines of which it is negative are left out.
template <class Value> int first_of_most(const Lines &lines, Value value) {
  int best = -1;
  for (int i = 0; i < static_cast<int>(lines.size()); ++i)
    if (value(lines[i]) >= 0 && (best < 0 || value(lines[i]) > value(lines[best])))
      best = i;
  return best;
}

int best_of(const Lines &lines) {
  return first_of_most(lines, [](const Line &l) { return l.spilled > 0 ? -1 : warps(l); });
}

std::string text(const Lines &lines) {
  std::string all;
  for (const Line &line : lines)
    all += (all.empty() ? "(" : ", (") + std::to_string(line.threads) + ", " +
           std::to_string(line.blocks) + "): " + std::to_string(line.registers) + " registers, " +
           std::to_string(line.spilled) + " spilled";
  return all;
}

void check_choice(const std::vector<Lines> &all) {
  std::vector<int> given;
  for (const Lines &lines : all)
    given.push_back(choose(lines.data(), static_cast<int>(lines.size())));
  const auto mistake = [&](const char *diagnosis, auto choice, const char *what) {
    bool holds = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      holds = holds && given[i] == choice(all[i]);
    checker::diagnose(diagnosis, holds, what);
  };
  for (const bool spills_left_out : {false, true}) {
    const auto most = [=](auto value) {
      return [=](const Lines &lines) {
        return first_of_most(
            lines, [=](const Line &l) { return spills_left_out && l.spilled > 0 ? -1 : value(l); });
      };
    };
    mistake("most_blocks",
            most([](const Line &l) { return l.blocks; }),
            "these are the lines with the most blocks. A block may be two warps or 32, and that it "
            "was asked for doesn't say that no more fit");
    mistake(
        "fewest_registers",
        most([](const Line &l) { return 255 - l.registers; }),
        "these are the lines with the fewest registers. How many warps fit depends on the block, "
        "too");
  }
  mistake(
      "warps_with_spills",
      [](const Lines &lines) { return first_of_most(lines, warps); },
      "these are the lines with the most warps, whatever they spill");
  mistake(
      "none_left_out",
      [](const Lines &lines) { return std::max(0, best_of(lines)); },
      "where all lines spill, -1 is asked for");
  mistake(
      "last_of_several",
      [](const Lines &lines) {
        const int last = first_of_most({lines.rbegin(), lines.rend()},
                                       [](const Line &l) { return l.spilled > 0 ? -1 : warps(l); });
        return last < 0 ? last : static_cast<int>(lines.size()) - 1 - last;
      },
      "of lines with as many warps the last comes out. The first is asked for");
  std::size_t shown = 0; // the first table of which the answer is wrong, if it is of any
  while (shown + 1 < all.size() && given[shown] == best_of(all[shown]))
    ++shown;
  checker::expect_same("the number, from 0 on, of the line to choose among " + text(all[shown]),
                       given[shown],
                       best_of(all[shown]));
}

unsigned weighed(const std::vector<unsigned> &in) {
  unsigned all = 0;
  for (unsigned k = 0; k < 40; ++k) {
    unsigned sum = 0;
    for (unsigned number : in)
      sum += number ^ k;
    all = all * 31 + sum;
  }
  return all;
}

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::on_device(std::vector<unsigned>{0});
  const std::string what = checker::counted(n, "number");
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    weigh_all(d_in.data(), n, d_out.data());
    error = cudaGetLastError();
  });
  checker::expect(error != cudaErrorInvalidValue,
                  "beyond_the_bound",
                  what +
                      ": the launch is refused. A kernel with __launch_bounds__ takes no block of "
                      "more threads than these say");
  LAB_CHECK(error);
  checker::expect_same("all sums of " + what, d_out.download()[0], weighed(h_in));
  return seen;
}

cudaFuncAttributes attributes_of_kernel() {
  cudaFuncAttributes attributes;
  LAB_CHECK(cudaFuncGetAttributes(&attributes, weigh));
  return attributes;
}

} // namespace

TEST_CASE("which line") {
  check_choice(tables());
  checker::record("warps_of_70_registers", warps_that_fit({192, 1, 70, 0}));
}

TEST_CASE("a bound for the kernel") {
  const cudaFuncAttributes kernel = attributes_of_kernel();
  checker::expect(kernel.maxThreadsPerBlock < 1024,
                  "no_bound",
                  "the kernel has no bound yet: __launch_bounds__(threads, blocks) stands between "
                  "void and its name");
  checker::expect(kernel.maxThreadsPerBlock == 256,
                  "other_bound",
                  "the kernel's bound says at most " + std::to_string(kernel.maxThreadsPerBlock) +
                      " threads per block. Which of the five bounds has the most warps without a "
                      "spill?");
  if (!lab::on_emulator() && lab::choose_device().compute_major == 9) {
    checker::expect(kernel.localSizeBytes == 0, "wrong_result", "the kernel spills: which bound?");
    checker::expect(kernel.numRegs <= 48, "wrong_result", "five blocks of the kernel do not fit");
  }
}

TEST_CASE("launched within it") {
  checker::unless_failed_before();
  checker::every_size(256, {256}, [](int n, int) {
    if (n > 0)
      check(n);
  });
  const auto seen = check(5000);
  if (seen)
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
