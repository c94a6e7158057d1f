// Checks whole_program.cu: the distances, the launch, what is left allocated, and whether a refused launch is told.
#include "checker/nasty.hpp"
#include "checker/refusals.hpp"

#include <algorithm>
#include <cmath>

cudaError_t distances(const float2 *h_a, const float2 *h_b, int n, int block, float *h_distance);

namespace {

constexpr float untouched = -1.0f; // which no distance is

/// The points of one run, and what comes out.
struct Pairs {
  std::vector<float2> a, b;
  std::vector<float> expected, straight, distance;
  std::vector<float2> apart; // b seen from a

  explicit Pairs(int n) : distance(n, untouched) {
    const auto drawn =
        checker::goes_in(checker::random_values<float>(4 * static_cast<std::size_t>(n), -9, 9));
    for (std::size_t i = 0; i < drawn.size(); i += 4) {
      a.push_back(make_float2(drawn[i], drawn[i + 1]));
      b.push_back(make_float2(drawn[i + 2], drawn[i + 3]));
      apart.push_back(make_float2(drawn[i + 2] - drawn[i], drawn[i + 3] - drawn[i + 1]));
      const float x = std::abs(apart.back().x), y = std::abs(apart.back().y);
      expected.push_back(std::max(x, y));
      straight.push_back(std::sqrt(x * x + y * y));
    }
  }
};

/// What has been taken for the larger of the two differences, or nothing.
std::string other_rule(const Pairs &p) {
  struct Rule {
    const char *words;
    float (*of)(float x, float y);
  };
  using std::abs;
  const auto gives = [&p](const Rule &rule) {
    bool all = !p.apart.empty();
    for (std::size_t i = 0; all && i < p.apart.size(); ++i)
      all = p.distance[i] == rule.of(p.apart[i].x, p.apart[i].y);
    return all;
  };
  const Rule others[] = {
      {"the sum of the two differences", [](float x, float y) { return abs(x) + abs(y); }},
      {"the smaller of the two differences",
       [](float x, float y) { return std::min(abs(x), abs(y)); }},
      {"the difference of the two x alone", [](float x, float) { return abs(x); }},
      {"the difference of the two y alone", [](float, float y) { return abs(y); }}};
  for (const Rule &rule : others)
    if (gives(rule))
      return rule.words;
  const char *x_signed = "the larger of the differences, but that of the two x has kept its sign";
  const char *y_signed = "the larger of the differences, but that of the two y has kept its sign";
  const char *both = "the larger of the differences, but they have kept their signs";
  const Rule with_signs[] = {{x_signed, [](float x, float y) { return std::max(x, abs(y)); }},
                             {x_signed, [](float x, float y) { return std::max(-x, abs(y)); }},
                             {y_signed, [](float x, float y) { return std::max(abs(x), y); }},
                             {y_signed, [](float x, float y) { return std::max(abs(x), -y); }},
                             {both, [](float x, float y) { return std::max(x, y); }},
                             {both, [](float x, float y) { return std::max(-x, -y); }}};
  for (const Rule &rule : with_signs)
    if (gives(rule))
      return std::string(rule.words) + ": -5 is as far as 5";
  return "";
}

bool blank(const std::vector<float> &values, std::size_t from) {
  return from < values.size() && std::all_of(values.begin() + static_cast<std::ptrdiff_t>(from),
                                             values.end(),
                                             [](float value) { return value == untouched; });
}

struct Run {
  cudaError_t error = cudaSuccess;
  std::optional<emu::Observation> seen;
};

Run run(Pairs &p, int block, const std::string &what) {
  Run run;
  run.seen = checker::observe(what, [&] {
    run.error = distances(
        p.a.data(), p.b.data(), static_cast<int>(p.distance.size()), block, p.distance.data());
  });
  return run;
}

unsigned long long threads_of(const emu::KernelReport &kernel) {
  return kernel.block[0] * kernel.block[1] * kernel.block[2];
}

/// That were launched with so many threads.
unsigned long long blocks_of(const emu::Observation &seen, int threads) {
  unsigned long long blocks = 0;
  for (const auto &kernel : seen.kernels)
    if (threads_of(kernel) == static_cast<unsigned long long>(threads))
      blocks += kernel.blocks();
  return blocks;
}

void expect_all_freed(const Run &run, const std::string &what) {
  const emu::Hazard *leak = run.seen ? run.seen->find("leak") : nullptr;
  checker::expect(
      leak == nullptr,
      "left_allocated",
      what + (leak ? ", but in line " + std::to_string(leak->here.where.line) + " " + leak->message
                   : ""));
}

Run check(int n, int block) {
  Pairs p(n);
  const std::string what =
      checker::elements(n, "pair") + " in blocks of " + std::to_string(block) + " threads";
  if (n > 0 && n % block == 0)
    checker::perhaps("Here all blocks are full, so it is not the last block that lacks a test. Has "
                     "the memory as many bytes as its elements take, and is it the device's? A "
                     "float2 has 8",
                     "out_of_bounds");
  Run seen = run(p, block, what);
  const cudaError_t left = cudaGetLastError();
  checker::expect(
      seen.error == cudaSuccess,
      "cuda_error",
      what + ": you return " + cudaGetErrorName(seen.error) +
          (n == 0 ? ". A grid of no blocks is an error: what if there are no pairs?" : ""));
  checker::expect(left == cudaSuccess,
                  "error_not_told",
                  what + ": a call ended in " + cudaGetErrorName(left) +
                      ", and you return cudaSuccess");
  checker::expect(!seen.seen || n == 0 || !seen.seen->kernels.empty(),
                  "no_kernel",
                  what + ": no kernel was launched");
  checker::diagnose("not_copied_back",
                    blank(p.distance, 0),
                    what + ": h_distance is what it was before. A kernel was launched, but its "
                           "results stay on the device");
  const std::size_t quarter = p.distance.size() / 4, covered = n / block * block;
  checker::diagnose("bytes_forgotten",
                    blank(p.distance, quarter + 1),
                    what + ": only the first quarter arrives. cudaMemcpy counts bytes, and a float "
                           "has 4");
  checker::diagnose(
      "last_block_missing",
      covered > 0 && covered < p.distance.size() &&
          std::equal(p.distance.begin(),
                     p.distance.begin() + static_cast<std::ptrdiff_t>(covered),
                     p.expected.begin()),
      what + ": nothing behind element " + std::to_string(covered - 1) +
          " was computed. n / block rounds down: the last, unfilled block is missing");
  checker::diagnose("straight_line",
                    n > 0 && lab::compare(p.distance, p.straight, {1e-5, 0.0}).ok,
                    what + ": these are the distances of the lesson, straight across. A king's is "
                           "the larger of the two differences");
  const std::string rule = other_rule(p);
  checker::diagnose("other_distance",
                    p.distance != p.expected && !rule.empty(),
                    what + ": each distance is " + rule +
                        ". A king's is the larger of the two, each without its sign");
  checker::diagnose("to_itself",
                    n > 1 && p.distance == std::vector<float>(p.distance.size(), 0.0f),
                    what +
                        ": each distance is 0, as from a point to itself. Are the points of b "
                        "copied from h_b, to memory of their own, and is a[i] compared with b[i]?");
  checker::expect_same("the distances of " + what, p.distance, p.expected);
  const unsigned long long blocks = seen.seen ? blocks_of(*seen.seen, block) : 0,
                           enough = n > 0 ? checker::enough_blocks(n, block) : 0;
  checker::expect(blocks <= enough,
                  "too_many_blocks",
                  what + ": the distances are right, but " + checker::counted(blocks, "block") +
                      (blocks == 1 ? " was" : " were") + " launched, and " +
                      (n == 0 ? "nothing is to be computed"
                              : std::to_string(enough) + (enough == 1 ? " has" : " have") +
                                    " room for all pairs"));
  expect_all_freed(seen, what + ": the distances are right");
  return seen;
}

} // namespace

TEST_CASE("every size, in blocks of any size") {
  checker::every_size(128, {32, 48, 256, 1024}, check);
}

TEST_CASE("full warps, and no blocks to spare") {
  const Run run = check(1024, 128);
  if (!run.seen)
    return;
  unsigned long long blocks = 0, threads = 128;
  for (const auto &kernel : run.seen->kernels) {
    threads = threads_of(kernel) != 128 ? threads_of(kernel) : threads;
    blocks += kernel.blocks();
  }
  const std::string launched = "1024 pairs in blocks of 128 threads: blocks of " +
                               std::to_string(threads) + " threads were launched";
  checker::expect(threads != 8 || blocks != 128,
                  "grid_and_block_swapped",
                  launched + ", 128 of them. In <<<…>>> the number of blocks comes first");
  checker::expect_lanes(*run.seen, emu::Access::global_store, 30.0);
  checker::expect(threads == 128, "other_blocks", launched);
  checker::record("blocks", static_cast<double>(blocks));
}

TEST_CASE("the caller has memory of the device's, too") {
  Pairs p(32);
  const std::vector<int> h_mine = checker::random_values<int>(8, 1, 99);
  const std::size_t bytes = h_mine.size() * sizeof(int);
  int *d_mine = nullptr;
  LAB_CHECK(cudaMalloc(&d_mine, bytes));
  LAB_CHECK(cudaMemcpy(d_mine, h_mine.data(), bytes, cudaMemcpyHostToDevice));
  run(p, 32, "32 pairs in one block");
  std::vector<int> left(h_mine.size());
  const cudaError_t error = cudaMemcpy(left.data(), d_mine, bytes, cudaMemcpyDeviceToHost);
  checker::expect(error == cudaSuccess && left == h_mine,
                  "memory_of_others",
                  "what the caller had in the device's memory is gone. cudaDeviceReset() frees "
                  "the memory of the whole program: give each of your own pointers to cudaFree");
  LAB_CHECK(cudaFree(d_mine));
}

TEST_CASE("a launch that is refused") {
  Pairs p(1000);
  const std::string what = "1000 pairs in blocks of 2048 threads, which CUDA refuses";
  const Run seen = run(p, 2048, what);
  if (cudaGetLastError() != cudaSuccess)
    checker::note("You return the refused launch's error, and it stays behind: whoever asks next "
                  "takes it for "
                  "that of a call of his own. cudaGetLastError() takes it away, "
                  "cudaPeekAtLastError() does not.");
  checker::expect(seen.error != cudaSuccess,
                  "error_not_told",
                  what + ": you return cudaSuccess. Only cudaGetLastError() tells of a refused "
                         "launch; cudaDeviceSynchronize() and the copies tell of kernels that ran");
  expect_all_freed(seen, what + ": you say so");
}

TEST_CASE("each call fails in its turn") {
  checker::unless_failed_before();
  Pairs p(33);
  checker::expect_errors_handled("33 pairs in blocks of 32 threads", [&] {
    return distances(p.a.data(), p.b.data(), 33, 32, p.distance.data());
  });
}

TEST_CASE("a board") {
  checker::unless_failed_before();
  constexpr int rows = 11, cols = 19;
  std::vector<float2> squares;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      squares.push_back(make_float2(static_cast<float>(col), static_cast<float>(row)));
  const std::vector<float2> king(squares.size(), make_float2(9.0f, 6.0f));
  std::vector<float> moves(squares.size(), untouched), expected;
  for (const float2 &square : squares)
    expected.push_back(std::max(std::abs(square.x - 9.0f), std::abs(square.y - 6.0f)));
  distances(squares.data(), king.data(), rows * cols, 64, moves.data());
  checker::expect_same("the moves on a board", moves, expected, {}, cols);
  std::string text =
      "How many moves a king has to each square, by your kernel. His circles are squares:";
  for (int i = 0; i < rows * cols; ++i) {
    text += i % cols == 0 ? "\n" : " ";
    text += moves[i] > 0.0f ? "0123456789"[static_cast<int>(moves[i]) % 10] : 'K';
  }
  checker::note(text);
}
