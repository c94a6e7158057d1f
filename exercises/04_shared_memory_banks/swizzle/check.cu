// Checks swizzle.cu: the tiles turned, in 4096 bytes, with one round of the banks for each request.
// Any order that does this is right: nothing is asked about the formula.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void turn_tiles(const unsigned *in, unsigned *out);

namespace {

std::optional<emu::Observation> check(int tiles) {
  const auto h_in = checker::extreme_values<unsigned>(static_cast<std::size_t>(tiles) * 1024);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(h_in.size());
  std::vector<unsigned> expected(h_in.size());
  for (std::size_t i = 0; i < h_in.size(); ++i)
    expected[i / 1024 * 1024 + i % 32 * 32 + i / 32 % 32] = h_in[i];

  const std::string what = checker::counted(tiles, "tile");
  checker::perhaps(
      "The tile has 1024 words: place() has to stay below that, in the last row and column, too",
      "out_of_bounds");
  auto seen = checker::launch(
      what, [&] { turn_tiles<<<tiles, dim3(32, 8), 4096>>>(d_in.data(), d_out.data()); });
  checker::expect_same(what, d_out.download(), expected, {}, 32);
  return seen;
}

/// The most words of a column in one bank, if row r is turned round by `step` * r words.
double rounds_of_column(int step) {
  std::vector<int> words_of(32, 0);
  for (int row = 0; row < 32; ++row)
    ++words_of[step * row % 32];
  return *std::max_element(words_of.begin(), words_of.end());
}

} // namespace

// Before the instruments tell of two threads in one word: which elements meet there.
TEST_CASE("a word for each element") {
  std::vector<unsigned> h_in(1024), place_of(1024, 1024);
  for (unsigned i = 0; i < 1024; ++i)
    h_in[i] = i;
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(1024);
  checker::unobserved([&] {
    turn_tiles<<<1, dim3(32, 8), 4096>>>(d_in.data(), d_out.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  const auto got = d_out.download();
  const auto place = [](unsigned at) { // of what comes out there
    return "place(" + std::to_string(at % 32) + ", " + std::to_string(at / 32) + ")";
  };
  for (unsigned at = 0; at < 1024; ++at) {
    if (got[at] >= 1024)
      continue;
    unsigned &first = place_of[got[at]];
    checker::expect(first == 1024,
                    "one_word_for_two",
                    first == 1024
                        ? ""
                        : place(first) + " and " + place(at) +
                              " are the same word: each of the 1024 elements needs one of "
                              "its own");
    first = at;
  }
}

TEST_CASE("one tile") { check(1); }

TEST_CASE("many tiles") { check(9); }

TEST_CASE("no memory beyond the tile") {
  cudaFuncAttributes attributes{};
  LAB_CHECK(cudaFuncGetAttributes(&attributes, turn_tiles));
  checker::expect_at_most("static_shared_bytes",
                          static_cast<double>(attributes.sharedSizeBytes),
                          0.0,
                          "more_memory",
                          "the tile is the launch's 4096 bytes, and no array beside them");
}

TEST_CASE("one round for each request") {
  checker::record("rounds_if_turned_by_four", rounds_of_column(4));
  const auto seen = check(2);
  if (!seen)
    return;
  const auto stores = checker::total(*seen, emu::Access::shared_store);
  const auto loads = checker::total(*seen, emu::Access::shared_load);
  for (emu::Access access : {emu::Access::shared_store, emu::Access::shared_load})
    checker::expect_shared_used(
        *seen,
        access,
        32.0,
        "a tile has 32 rows: each goes to shared memory, and comes from there");
  checker::expect_cost_at_most(*seen,
                               emu::Access::shared_store,
                               1.0,
                               "conflict_in_stores",
                               "a warp stores a row of the tile, and up to " +
                                   std::to_string(stores.max_conflict) +
                                   " of its lanes meet in a bank");
  checker::expect_cost_at_most(*seen,
                               emu::Access::shared_load,
                               1.0,
                               loads.max_conflict >= 32 ? "one_bank" : "bank_conflict",
                               "a warp reads a column of the tile, and up to " +
                                   std::to_string(loads.max_conflict) +
                                   " of its lanes meet in a bank");
}
