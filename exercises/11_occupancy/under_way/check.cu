// Checks under_way.cu: the sums, that the copies are asynchronous, and that the next one begins before the results
// of this tile are stored.
#include <algorithm>

#include "checker/nasty.hpp"

__global__ void add_opposite(const unsigned *in, int tiles, unsigned *out);

namespace {

constexpr int tile = 128;

std::vector<unsigned> expected_of(const std::vector<unsigned> &in) {
  std::vector<unsigned> out;
  for (std::size_t i = 0; i < in.size(); ++i)
    out.push_back(in[i] + in[i / tile * tile + tile - 1 - i % tile]);
  return out;
}

std::optional<emu::Observation> check(int tiles, int blocks) {
  const auto h_in =
      checker::extreme_values<unsigned>(static_cast<std::size_t>(tiles) * blocks * tile);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(h_in.size());
  const std::string what =
      checker::counted(tiles, "tile") +
      (blocks == 1 ? " for one block" : " for each of " + checker::counted(blocks, "block"));
  checker::perhaps(tiles == 0 ? "There is not even a first tile to be fetched" : "");
  auto seen = checker::launch(
      what, [&] { add_opposite<<<blocks, tile>>>(d_in.data(), tiles, d_out.data()); });
  checker::expect_same("sums of " + what, d_out.download(), expected_of(h_in), {}, tile);
  return seen;
}

// The results of a tile fall on the same threads' numbers of the next one. A copy may read at any moment between its
// begin and the wait for it: so what was under way by then has read some of the numbers that were there before, in one
// order or another, and what begins later never has. Of each tile one number is looked at, which its thread 0 copies,
// whatever the pieces are.
void expect_next_tile_ahead() {
  constexpr int tiles = 5;
  const auto before = checker::random_values<unsigned>((tiles + 1) * tile, 0, ~0u);
  std::vector<bool> ahead(tiles); // [0]: nothing is stored where tile 0 lies
  checker::in_drawn_orders([&] {
    for (int twice = 0; twice < 2; ++twice) {
      const auto data = checker::on_device(before);
      checker::launch("5 tiles whose results lie a tile further on",
                      [&] { add_opposite<<<1, tile>>>(data.data(), tiles, data.data() + tile); });
      const auto after = data.download();
      for (int t = 1; t < tiles; ++t) {
        const unsigned sum = after[(t + 1) * tile], opposite = t * tile + tile - 1;
        const unsigned first = before[t * tile];
        ahead[t] = ahead[t] || sum == first + before[opposite] || sum == first + after[opposite];
      }
    }
  });
  checker::expect_at_least("tiles_ahead",
                           std::count(ahead.begin(), ahead.end(), true),
                           tiles - 1,
                           "not_ahead",
                           "the copy of the next tile begins only after the results of this one "
                           "are stored, so nothing is under way meanwhile");
}

} // namespace

TEST_CASE("one tile, and some") {
  for (int tiles : {1, 2, 3, 8})
    check(tiles, 1);
}

TEST_CASE("several blocks, and none that has a tile") {
  check(5, 3);
  check(0, 2);
}

TEST_CASE("the next tile is under way") {
  const auto seen = check(8, 2);
  if (seen) {
    checker::expect_at_most(
        "shared_store.requests",
        static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests),
        0.0,
        "not_async",
        "numbers go through registers to shared memory, so a thread has to wait for "
        "them before it stores them there. cp.async needs no register");
    checker::expect_at_most(
        "barriers_per_block",
        checker::barriers_per_block(*seen),
        9.0,
        "too_many_barriers",
        "with two buffers one barrier for each of 8 tiles is enough, and at most "
        "one more");
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  }
  expect_next_tile_ahead();
}
