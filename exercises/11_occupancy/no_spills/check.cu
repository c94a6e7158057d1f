// Checks no_spills.cu: the bound for any number of registers, and a kernel with its bound that is launched within it.
#include "checker/nasty.hpp"

#include <algorithm>
#include <bit>

struct Bound {
  int threads, blocks;
};

int warps_that_fit(int threads, int registers);
Bound best_bound(int registers);
Bound bound_of_weigh();
__global__ void weigh(const unsigned *in, int n, unsigned *out);
void weigh_all(const unsigned *d_in, int n, unsigned *d_out);

namespace {

constexpr int fewest = 16, most = 255, of_weigh = 51; // registers

/// Blocks on an H200's multiprocessor.
int blocks_that_fit(int threads, int registers) {
  const int warps = threads / 32, of_warp = (32 * registers + 255) / 256 * 256;
  return std::min({64 / warps, 32, 4 * (16384 / of_warp) / warps});
}

int warps(int threads, int registers) { return threads / 32 * blocks_that_fit(threads, registers); }

/// Of all block sizes the one with the largest value; of several the largest block, or the smallest.
template <class Value> int best_block(bool largest, Value value) {
  int best = 32;
  for (int threads = 64; threads <= 1024; threads += 32)
    if (value(threads) > value(best) || (largest && value(threads) == value(best)))
      best = threads;
  return best;
}

std::string text_of(const Bound &bound) {
  return "(" + std::to_string(bound.threads) + ", " + std::to_string(bound.blocks) + ")";
}

// Of a bound with the best block.
void expect_blocks(const std::string &whose, const Bound &bound, int registers) {
  const int fit = blocks_that_fit(bound.threads, registers);
  const std::string what =
      whose + ", and " + std::to_string(fit) + " such blocks fit on a multiprocessor";
  checker::expect(
      bound.blocks <= fit,
      "would_spill",
      what + (bound.threads * bound.blocks > 2048
                  ? ". More than 2048 threads never do: the compiler ignores such a "
                    "bound. The second number is for one multiprocessor, not for the whole device"
              : bound.blocks == 2048 / bound.threads
                  ? ". By their threads alone " + std::to_string(bound.blocks) + " would, 2048 / " +
                        std::to_string(bound.threads) +
                        "; but warps need room for their registers, too"
                  : ". To let in more the compiler would have to get along with fewer "
                    "registers, and spill"));
  checker::expect(
      bound.blocks == fit, "blocks_left_out", what + ". The second number is to be these");
}

void check_bounds(const std::vector<Bound> &given) {
  const auto mistake = [&](const char *diagnosis, auto block, const char *what) {
    bool holds = true;
    for (int registers = fewest; registers <= most; ++registers)
      holds = holds && given[registers - fewest].threads == block(registers);
    checker::expect(!holds, diagnosis, what);
  };
  mistake(
      "one_size_for_all",
      [&](int) { return given[0].threads; },
      "the block has one size, "
      "whatever the kernel needs. How many warps fit with each of the 32 sizes that there are?");
  mistake(
      "smallest_block",
      [](int registers) { return best_block(false, [=](int t) { return warps(t, registers); }); },
      "most warps, but of several block sizes the smallest. The largest is asked for");
  mistake(
      "powers_of_two",
      [](int registers) {
        return best_block(true, [=](int t) {
          return std::has_single_bit(static_cast<unsigned>(t)) ? warps(t, registers) : 0;
        });
      },
      "these are the best sizes of 32, 64, 128 and so on, always twice as many. A block may have "
      "any "
      "number of whole warps, as 576 threads: with other sizes more warps fit, or as many in a "
      "larger block");
  mistake(
      "largest_left_out",
      [](int registers) {
        return best_block(true, [=](int t) { return t < 1024 ? warps(t, registers) : 0; });
      },
      "these are the best blocks of fewer than 1024 threads. A block may have 1024, too");
  mistake(
      "most_blocks",
      [](int registers) {
        return best_block(true, [=](int t) { return blocks_that_fit(t, registers); });
      },
      "these are the sizes of which most blocks fit. A block may be one warp or 32: warps count");
  std::vector<int> all = {of_weigh};
  for (int registers = fewest; registers <= most; ++registers)
    all.push_back(registers);
  for (int registers : all) {
    const Bound bound = given[registers - fewest];
    const std::string whose = "for a kernel of " + std::to_string(registers) +
                              " registers the bound is " + text_of(bound);
    checker::expect(bound.threads >= 32 && bound.threads <= 1024 && bound.threads % 32 == 0,
                    "no_block",
                    whose + ". A block has whole warps, of 32 to 1024 threads");
    const int best = best_block(true, [=](int t) { return warps(t, registers); });
    if (bound.threads == best)
      expect_blocks(whose, bound, registers);
    checker::expect_same("warps on a multiprocessor, " + whose,
                         warps(bound.threads, registers),
                         warps(best, registers));
    checker::expect_same("threads of a block, " + whose, bound.threads, best);
  }
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

TEST_CASE("a bound for any kernel") {
  std::vector<Bound> given;
  for (int registers = fewest; registers <= most; ++registers)
    given.push_back(best_bound(registers));
  check_bounds(given);
  checker::record("warps_of_70_registers", warps_that_fit(given[70 - fewest].threads, 70));
  std::string text = "Warps that your bounds let in, by the registers of a thread: a # for each "
                     "that fits in blocks of 256, too, a + for each that does not:";
  for (int registers : {32, 40, 48, 51, 64, 80, 96, 104, 128, 168, 255}) {
    const int most = warps(given[registers - fewest].threads, registers);
    const int of_256 = warps(256, registers);
    text += "\n" + std::string(registers < 100 ? " " : "") + std::to_string(registers) + " " +
            std::string(of_256, '#') + std::string(most - of_256, '+') + " " +
            text_of(given[registers - fewest]);
  }
  checker::note(text);
}

TEST_CASE("a bound for the kernel") {
  const cudaFuncAttributes kernel = attributes_of_kernel();
  checker::expect(kernel.maxThreadsPerBlock < 1024,
                  "no_bound",
                  "the kernel has no bound yet: __launch_bounds__(threads, blocks) stands between "
                  "void and its name");
  const Bound said = bound_of_weigh();
  checker::expect(
      kernel.maxThreadsPerBlock == said.threads || kernel.maxThreadsPerBlock != said.blocks,
      "bound_turned",
      "the kernel's __launch_bounds__ say at most " + checker::counted(said.blocks, "thread") +
          " per block, and the constant, bound, is " + text_of(said) +
          ": the two numbers stand the other way round. Threads of a block come first, "
          "then blocks");
  checker::expect(kernel.maxThreadsPerBlock == said.threads,
                  "numbers_twice",
                  "the kernel's __launch_bounds__ say at most " +
                      std::to_string(kernel.maxThreadsPerBlock) +
                      " threads per block, and the constant, bound, is " + text_of(said) +
                      ". A bound is written once: __launch_bounds__(bound.threads, bound.blocks)");
  const int best = best_block(true, [](int t) { return warps(t, of_weigh); });
  checker::expect(kernel.maxThreadsPerBlock == best,
                  "other_bound",
                  "the kernel's bound says at most " + std::to_string(kernel.maxThreadsPerBlock) +
                      " threads per block. It needs 51 registers: which bound is the best then?");
  expect_blocks("the kernel, of 51 registers, has the bound " + text_of(said), said, of_weigh);
  if (!lab::on_emulator() && lab::choose_device().compute_major == 9) {
    checker::expect(kernel.localSizeBytes == 0, "wrong_result", "the kernel spills: which bound?");
    checker::expect(warps(best, kernel.numRegs) == warps(best, of_weigh),
                    "wrong_result",
                    "fewer blocks of the kernel fit than could");
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
