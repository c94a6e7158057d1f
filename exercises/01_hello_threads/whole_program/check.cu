// Checks whole_program.cu: the moves, the pieces, what is left allocated, and whether a refused launch is told.
#include "checker/nasty.hpp"
#include "checker/refusals.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

void place(float2 *kings);
cudaError_t
distances(float x, float y, const float2 *h_squares, int n, int room, int block, float *h_moves);

namespace {

constexpr float untouched = -1.0f; // which no distance is

/// The squares of one run, and what comes out.
struct Squares {
  float x, y;
  std::vector<float2> at;
  std::vector<float> expected, straight, moves;

  explicit Squares(int n) : moves(n, untouched) {
    const auto king = checker::random_values<float>(2, -9, 9);
    x = king[0];
    y = king[1];
    const auto drawn =
        checker::goes_in(checker::random_values<float>(2 * static_cast<std::size_t>(n), -9, 9));
    for (std::size_t i = 0; i < drawn.size(); i += 2) {
      at.push_back(make_float2(drawn[i], drawn[i + 1]));
      const float right = std::abs(drawn[i] - x), up = std::abs(drawn[i + 1] - y);
      expected.push_back(std::max(right, up));
      straight.push_back(std::sqrt(right * right + up * up));
    }
  }
  int n() const { return static_cast<int>(at.size()); }
};

bool blank(const std::vector<float> &values, std::size_t from) {
  return from < values.size() && std::all_of(values.begin() + static_cast<std::ptrdiff_t>(from),
                                             values.end(),
                                             [](float value) { return value == untouched; });
}

struct Run {
  cudaError_t error = cudaSuccess;
  std::optional<emu::Observation> seen;
};

Run run(Squares &s, int room, int block, const std::string &what) {
  Run run;
  run.seen = checker::observe(what, [&] {
    run.error = distances(s.x, s.y, s.at.data(), s.n(), room, block, s.moves.data());
  });
  return run;
}

unsigned long long threads_of(const emu::KernelReport &kernel) {
  return kernel.block[0] * kernel.block[1] * kernel.block[2];
}

void expect_all_freed(const Run &run, const std::string &what) {
  const emu::Hazard *leak = run.seen ? run.seen->find("leak") : nullptr;
  checker::expect(
      leak == nullptr,
      "left_allocated",
      what + (leak ? ", but in line " + std::to_string(leak->here.where.line) + " " + leak->message
                   : ""));
}

/// That a grid has for so many squares, in pieces.
unsigned long long enough_blocks(int n, int room, int block) {
  const int rest = n % room;
  return 1ull * (n / room) * checker::enough_blocks(room, block) +
         (rest > 0 ? checker::enough_blocks(rest, block) : 0);
}

/// What a wrong result comes from, if it is one of the usual mistakes.
void explain(const Squares &s, int room, int block, const std::string &what) {
  const int n = s.n(), piece = std::min(n, room), last = (n - 1) / room * room;
  const auto mistake = [&](const char *diagnosis, bool holds, const std::string &text) {
    checker::diagnose(diagnosis, holds, what + ": " + text);
  };
  const auto all = [&](int from, int end, auto holds) {
    for (int i = from; i < end; ++i)
      if (!holds(i))
        return false;
    return from < end;
  };
  mistake("not_copied_back",
          blank(s.moves, 0),
          "h_moves is what it was before. A kernel was launched, but its results stay on the "
          "device");
  mistake("first_piece_again",
          n > piece && all(0, n, [&](int i) { return s.moves[i] == s.expected[i % room]; }),
          "each piece has the numbers of the first one. Where in h_squares does a piece begin?");
  mistake("pieces_on_top",
          n > piece && blank(s.moves, piece) &&
              all(last, n, [&](int i) { return s.moves[i - last] == s.expected[i]; }),
          "all pieces come back to the front of h_moves, each over the one before. Where does a "
          "piece begin there?");
  mistake("bytes_forgotten",
          all(piece / 4 + 1, piece, [&](int i) { return s.moves[i] == untouched; }),
          "of a piece only the first quarter arrives. cudaMemcpy counts bytes, and a float has 4");
  const int covered = piece / block * block;
  mistake("last_block_missing",
          covered < piece && all(0, covered, [&](int i) { return s.moves[i] == s.expected[i]; }) &&
              s.moves[covered] != s.expected[covered],
          "of a piece nothing behind square " + std::to_string(covered - 1) +
              " was computed. A division by `block` rounds down: the last, unfilled block is "
              "missing");
  mistake("straight_line",
          n > 0 && lab::compare(s.moves, s.straight, {1e-5, 0.0}).ok,
          "these are the distances of the lesson, straight across. A king's is the larger of the "
          "two differences");
}

Run check(int n, int room, int block) {
  Squares s(n);
  const std::string what = checker::elements(n, "square") + ", room for " + std::to_string(room) +
                           ", blocks of " + std::to_string(block) + " threads";
  if (n > 0 && n % room == 0 && room % block == 0)
    checker::perhaps("Here all pieces and blocks are full, so it is not the last one that lacks a "
                     "test. Has the memory as many bytes as its elements take, and is it the "
                     "device's? A float2 has 8",
                     "out_of_bounds");
  Run seen = run(s, room, block, what);
  const cudaError_t left = cudaGetLastError();
  checker::expect(
      seen.error == cudaSuccess,
      "cuda_error",
      what + ": you return " + cudaGetErrorName(seen.error) +
          (n == 0 ? ". A grid of no blocks is an error: what if there are no squares?" : ""));
  checker::expect(left == cudaSuccess,
                  "error_not_told",
                  what + ": a call ended in " + cudaGetErrorName(left) +
                      ", and you return cudaSuccess");
  checker::expect(!seen.seen || n == 0 || !seen.seen->kernels.empty(),
                  "no_kernel",
                  what + ": no kernel was launched");
  explain(s, room, block, what);
  checker::expect_same("the moves to " + what, s.moves, s.expected);
  unsigned long long blocks = 0, most = 0, looked_at = 0; // squares
  bool all_counted = seen.seen.has_value();
  if (seen.seen)
    for (const auto &kernel : seen.seen->kernels) {
      looked_at += kernel.total(emu::Access::global_load).bytes / sizeof(float2);
      all_counted = all_counted && kernel.blocks_traced == kernel.blocks();
      if (threads_of(kernel) == static_cast<unsigned long long>(block)) {
        blocks += kernel.blocks();
        most = std::max<unsigned long long>(most, kernel.blocks() / kernel.launches);
      }
    }
  checker::expect(!all_counted || looked_at >= s.at.size(),
                  "worked_on_the_host",
                  what + ": the numbers are right, but kernels have looked at " +
                      std::to_string(looked_at) + " of the squares: the host has done the others");
  const unsigned long long of_piece = checker::enough_blocks(std::min(n, room), block),
                           enough = n > 0 ? enough_blocks(n, room, block) : 0;
  checker::expect(n == 0 || room >= n || most <= of_piece,
                  "too_large_a_piece",
                  what + ": the numbers are right, but a launch of " +
                      checker::counted(static_cast<long long>(most), "block") +
                      " is for more squares than the device has room for. Each piece has its own "
                      "copies and a launch, in the same memory");
  checker::expect(blocks <= enough,
                  "too_many_blocks",
                  what + ": the numbers are right, but " +
                      checker::counted(static_cast<long long>(blocks), "block") +
                      (blocks == 1 ? " was" : " were") + " launched, and " +
                      (n == 0 ? "nothing is to be computed"
                              : std::to_string(enough) + (enough == 1 ? " is" : " are") +
                                    " enough for all pieces"));
  expect_all_freed(seen, what + ": the numbers are right");
  return seen;
}

} // namespace

TEST_CASE("three pieces, the last of which is short") { check(1000, 384, 128); }

TEST_CASE("every size, in blocks of any size") {
  checker::every_size(128, {32, 48, 256, 1024}, [](int n, int block) {
    check(n, n % 2 == 0 ? n + 7 : 1 + n / 5 * 2, block);
  });
}

TEST_CASE("full warps, and no blocks to spare") {
  const Run run = check(1024, 512, 128);
  if (!run.seen)
    return;
  unsigned long long blocks = 0, threads = 128;
  for (const auto &kernel : run.seen->kernels) {
    threads = threads_of(kernel) != 128 ? threads_of(kernel) : threads;
    blocks += kernel.blocks();
  }
  const std::string launched = "1024 squares in blocks of 128 threads: blocks of " +
                               std::to_string(threads) + " threads were launched";
  checker::expect(threads != 4 || blocks != 256,
                  "grid_and_block_swapped",
                  launched + ", 128 of them. In <<<…>>> the number of blocks comes first");
  checker::expect_lanes(*run.seen, emu::Access::global_store, 30.0);
  checker::expect(threads == 128, "other_blocks", launched);
}

TEST_CASE("room for 300 of 1000") {
  checker::unless_failed_before();
  const Run run = check(1000, 300, 128);
  if (const auto times = checker::timeline(checker::plain_model(1)))
    for (const emu::TimelineBar &bar : times->bars) {
      const bool sent = bar.engine == "to_device";
      const auto elements = bar.bytes / (sent ? sizeof(float2) : sizeof(float));
      checker::expect(
          bar.kind != "copy" || elements <= 300,
          "too_large_a_piece",
          "1000 squares, room for 300: the numbers are right, but one copy " +
              std::string(sent ? "sends " : "brings back ") +
              checker::counted(static_cast<long long>(elements), sent ? "square" : "number") +
              ": as many lay in the device's memory. Each piece has its own copies");
    }
  if (run.seen) {
    unsigned long long blocks = 0;
    for (const auto &kernel : run.seen->kernels)
      blocks += kernel.blocks();
    checker::record("blocks", static_cast<double>(blocks));
  }
}

TEST_CASE("no memory to spare") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  for (const auto &[n, room] : {std::pair(1000, 300), std::pair(70, 500), std::pair(5000, 512)}) {
    Squares s(n);
    std::size_t free = 0, total = 0;
    LAB_CHECK(cudaMemGetInfo(&free, &total));
    constexpr std::size_t between = 1024; // an allocation begins where it may
    const std::string what = checker::counted(n, "square") + ", room for " + std::to_string(room) +
                             ", and no other memory on the device";
    const checker::FewBytes few(checker::FewBytes::global,
                                total - free + between + room * (sizeof(float2) + sizeof(float)));
    const Run seen = run(s, room, 128, what);
    checker::expect(seen.error != cudaErrorMemoryAllocation,
                    "more_than_room",
                    what +
                        ": you return cudaErrorMemoryAllocation. Of the device's memory you may "
                        "have " +
                        std::to_string(room) + " squares and as many floats, and you ask for more");
    checker::expect_same("the moves to " + what, s.moves, s.expected);
  }
}

TEST_CASE("the caller has memory of the device's, too") {
  Squares s(32);
  const std::vector<int> h_mine = checker::random_values<int>(8, 1, 99);
  const std::size_t bytes = h_mine.size() * sizeof(int);
  int *d_mine = nullptr;
  LAB_CHECK(cudaMalloc(&d_mine, bytes));
  LAB_CHECK(cudaMemcpy(d_mine, h_mine.data(), bytes, cudaMemcpyHostToDevice));
  run(s, 32, 32, "32 squares in one block");
  std::vector<int> left(h_mine.size());
  const cudaError_t error = cudaMemcpy(left.data(), d_mine, bytes, cudaMemcpyDeviceToHost);
  checker::expect(error == cudaSuccess && left == h_mine,
                  "memory_of_others",
                  "what the caller had in the device's memory is gone. cudaDeviceReset() frees "
                  "the memory of the whole program: give each of your own pointers to cudaFree");
  LAB_CHECK(cudaFree(d_mine));
}

TEST_CASE("a launch that is refused") {
  Squares s(3000);
  const std::string what = "3000 squares in blocks of 2048 threads, which CUDA refuses";
  const Run seen = run(s, 3000, 2048, what);
  const bool asked = cudaGetLastError() == cudaSuccess; // which takes the error away
  if (!asked && seen.error != cudaSuccess)
    checker::note("You return the refused launch's error, and it stays behind: whoever asks next "
                  "takes it for "
                  "that of a call of his own. cudaGetLastError() takes it away, "
                  "cudaPeekAtLastError() does not.");
  checker::expect(seen.error != cudaSuccess,
                  "error_not_told",
                  what + ": you return cudaSuccess. " +
                      (asked ? "You have asked cudaGetLastError(), and what it said is lost: does "
                               "a later call's success stand in its place?"
                             : "Only cudaGetLastError() tells of a refused launch; "
                               "cudaDeviceSynchronize() and the copies tell of kernels that ran"));
  expect_all_freed(seen, what + ": you say so");
}

TEST_CASE("each call fails in its turn") {
  checker::unless_failed_before();
  Squares s(33);
  checker::expect_errors_handled("33 squares, room for 20", [&] {
    return distances(s.x, s.y, s.at.data(), 33, 20, 32, s.moves.data());
  });
}

TEST_CASE("your kings") {
  checker::unless_failed_before();
  constexpr int rows = 18, cols = 72, room = 500, kings = 5;
  std::vector<float2> squares;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      squares.push_back(make_float2(static_cast<float>(col), static_cast<float>(row)));
  std::vector<float2> at(kings);
  place(at.data());
  std::vector<float> fewest(squares.size(), 1e9f);
  std::string first(squares.size(), ' ');
  for (int king = 0; king < kings; ++king) {
    std::vector<float> moves(squares.size(), untouched), expected;
    for (const float2 &square : squares)
      expected.push_back(
          std::max(std::abs(square.x - at[king].x), std::abs(square.y - at[king].y)));
    distances(at[king].x, at[king].y, squares.data(), rows * cols, room, 64, moves.data());
    checker::expect_same("the moves on a board", moves, expected, {}, cols);
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (moves[i] <= fewest[i]) {
        first[i] = moves[i] == fewest[i] ? ' ' : moves[i] == 0.0f ? 'K' : "#.o=+"[king];
        fewest[i] = moves[i];
      }
  }
  std::string text =
      "Your kings, K, and what your program says is theirs; where two are equally near it is "
      "blank. Move them, in place(), and look again:";
  for (int row = 0; row < rows; ++row)
    text += "\n" + first.substr(static_cast<std::size_t>(row) * cols, cols);
  checker::note(text);
}
