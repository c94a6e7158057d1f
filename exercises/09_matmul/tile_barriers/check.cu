// Checks tile_barriers.cu: every size, half of the blocks, and two barriers for each pair of tiles, which have 32 products
// of each sum.
#include "products.hpp"

#include <cmath>

__global__ void multiply(const float *A, float *C, int M, int K);

namespace {

constexpr int tile = 16, depth = 32;

void launch(const float *A, float *C, int M, int K) {
  multiply<<<dim3(checker::enough_blocks(M, tile), checker::enough_blocks(M, tile)),
             dim3(tile, tile)>>>(A, C, M, K);
}

/// A matrix turned over its diagonal.
std::vector<float> turned(const std::vector<float> &matrix, int rows, int cols) {
  std::vector<float> result(matrix.size());
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      result[col * rows + row] = matrix[row * cols + col];
  return result;
}

/// Each pair of tiles that is needed is loaded once, between two barriers; of all others none is.
void expect_half_the_work(const std::string &what, const emu::Observation &seen, int M, int K) {
  const int blocks = checker::enough_blocks(M, tile), rounds = checker::enough_blocks(K, depth);
  const int all = blocks * blocks, busy = blocks * (blocks + 1) / 2;
  const auto loads = static_cast<double>(checker::total(seen, emu::Access::global_load).lanes);
  const double barriers = std::round(checker::barriers_per_block(seen) * all);
  checker::expect(
      blocks == 1 || (loads != 2.0 * K * M * blocks && loads != 2.0 * all * tile * rounds * depth),
      "all_blocks",
      what + ": the sums are right, and all blocks have loaded and added up. Those on one side of "
             "the diagonal come to what is on the other");
  if (M >= tile) // else who stays outside loads less than is allowed
    checker::expect_at_most(
        "loads",
        loads,
        2.0 * busy * tile * rounds * depth,
        "not_by_tiles",
        what + ": the sums are right, but the tiles do not serve them: elements of A are loaded "
               "from global memory again and again. In a product by tiles each one that a block "
               "has loaded serves 16 products");
  if (blocks == 1) // a slip of a round's depth is to be named behind that of all blocks
    return;
  checker::expect_at_most(
      "barriers_per_block",
      barriers / busy,
      2 * rounds + 1, // one for who stores the other side out of shared memory
      "too_many_barriers",
      what + ": a sum of these needs " + checker::counted(rounds, "pair") +
          " of tiles of DEPTH each: one barrier when a pair is there, and one when it is no "
          "longer needed");
}

std::optional<emu::Observation> check(int M, int K) {
  const auto A = whole_numbers(K * M), first = turned(A, K, M);
  const auto d_A = checker::on_device(A);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * M);
  const auto expected = product(first, A, M, M, K, K);
  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(M));
  const std::string what = checker::counted(K, "moment") + " of " + checker::counted(M, "player");
  checker::perhaps(
      M % tile != 0 && K % depth != 0 ? ""
      : M % tile == 0 && K % depth == 0
          ? "All fits the tiles here, and A is K x M: one of its rows is as many numbers as there "
            "are players"
          : std::string(K % depth == 0 ? "K fits the tiles here, and M"
                                       : "M fits the tiles here, and K") +
                " does not: does each load and each store that would go beyond that edge have a "
                "test? "
                "What it tests is the index that stands in its brackets",
      "out_of_bounds");
  checker::perhaps("A tile has more elements than the block has threads: how many of each tile has "
                   "every thread to bring?",
                   "uninitialised");
  checker::perhaps("In a block on the diagonal two threads store each element, from either side, "
                   "and both sums should be the same. They are not, so some factors are others "
                   "than A[k][row] and A[k][col]: where tiles are filled, and where they are read, "
                   "which index goes by x, and which by y?",
                   "global_race");
  if (M % tile != 0)
    checker::perhaps("Who has no element of C at an edge still has elements of the tiles to bring, "
                     "for the others: which lines alone has a test to keep him from?",
                     "divergent_barrier");
  auto seen = checker::launch(what, [&] { launch(d_A.data(), d_C.data(), M, K); });
  const auto got = d_C.download();
  bool as_it_is = got != expected; // wrong are tiles beside the diagonal, which are not turned over
  for (int row = 0, i = 0; row < M; ++row)
    for (int col = 0; col < M; ++col, ++i)
      if (const int r = row / tile * tile + col % tile, c = col / tile * tile + row % tile;
          got[i] != expected[i])
        as_it_is = as_it_is && r < M && c < M && got[i] == expected[r * M + c];
  checker::expect(!as_it_is,
                  "tile_not_turned",
                  what +
                      ": the tile that a block stores on the other side lies in its place there, "
                      "but its sums stand as on this side. Row r and column c of it are to "
                      "become row c and column r");
  checker::diagnose("k_tail_missing",
                    K % depth != 0 && got == product(first, A, M, M, K, K / depth * depth),
                    what + ": the products of the last, partial tile are missing");
  // Of threads that have no element of C, what they bring is 0.
  std::vector<float> by_own_result(expected.size());
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < M; ++col) {
      const bool other_side = row / tile > col / tile;
      const int r = other_side ? col : row, c = other_side ? row : col;
      for (int k = 0; k < K; ++k)
        if (r - r % tile + k % tile < M && c - c % tile + r % tile < M)
          by_own_result[row * M + col] += A[k * M + r] * A[k * M + c];
    }
  checker::diagnose(
      "idle_bring_nothing",
      got != expected && got == by_own_result,
      what +
          ": threads that have no element of C bring 0. What a thread brings is for others of its "
          "block: it asks whether that element of A is there");
  checker::diagnose("diagonal_left_out",
                    M <= tile && std::ranges::all_of(got, lab::is_poison<float>),
                    what + ": the only block here, which lies on the diagonal, has stored nothing. "
                           "Does it leave with those beside it? Only blocks on one side have "
                           "nothing to do");
  bool one_side = got != expected; // wrong is one side of the diagonal, and nothing else
  for (int row = 0, i = 0; row < M; ++row)
    for (int col = 0; col < M; ++col, ++i)
      one_side = one_side && (got[i] == expected[i] || got[col * M + row] == expected[i]);
  checker::diagnose("one_side",
                    one_side,
                    what +
                        ": one side of the diagonal is right. What a block beside the diagonal has "
                        "found out it stores on the other side, too");
  if (got != expected && !one_side)
    diagnose_index_slips(what, got, first, A, M, M, K, tile, FirstMatrix::turned, depth);
  checker::expect_same(what, got, expected, {}, M);
  if (seen && K > 0)
    expect_half_the_work(what, *seen, M, K);
  return seen;
}

} // namespace

TEST_CASE("sizes that fit the tiles") {
  check(16, 32);
  check(48, 64);
}

TEST_CASE("one edge at a time") {
  check(16, 20);
  check(37, 32);
}

TEST_CASE("sizes that do not fit") {
  check(33, 50);
  check(21, 43);
  check(1, 1);
  check(20, 0);
  for (int n : checker::own_sizes(1, 100, 200)) {
    check(n, 20);
    check(20, n);
  }
}

TEST_CASE("half of the blocks, two barriers for each pair of tiles") {
  const auto seen = check(32, 64);
  if (!seen)
    return;
  checker::record("blocks_at_work", 4 * (4 + 1) / 2); // of those that the card asks about
  checker::expect_lanes(
      *seen, emu::Access::global_load, 32.0, "each thread has elements of its own to bring", 0.1);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "a warp is two rows of 16 threads: two pieces of 64 bytes, 4 sectors. Does "
      "threadIdx.x count the columns of A, in both tiles?");
}

TEST_CASE("a kaleidoscope") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int M = 50, waves = 6;
    std::vector<float> A(waves * M);
    const auto phases = checker::random_values<float>(waves, 0, 6);
    for (int wave = 0; wave < waves; ++wave)
      for (int i = 0; i < M; ++i)
        A[wave * M + i] =
            static_cast<float>(std::cos((0.2 + 0.11 * wave) * std::fabs(i - 24.5) + phases[wave]));
    const auto d_A = checker::on_device(A);
    const auto d_C = checker::poisoned<float>(M * M);
    launch(d_A.data(), d_C.data(), M, waves);
    std::vector<bool> cells;
    for (const float common : d_C.download())
      cells.push_back(common > 0.4f);
    checker::note(
        "Your kaleidoscope, of 50 columns of six waves, by blocks on one side of the diagonal:" +
        checker::picture(cells, M));
  });
}
