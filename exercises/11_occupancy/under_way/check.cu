// Checks under_way.cu: the sums, that the copies are asynchronous, and that the next one begins before the results
// of two tiles are stored.
#include <algorithm>

#include "checker/nasty.hpp"

__global__ void add_opposite(const unsigned *in, int tiles, unsigned *out);

namespace {

constexpr int tile = 64;

/// Of blocks that have so many tiles each, and a key.
/// @param next  0: as if each number met its opposite in its own tile
std::vector<unsigned> expected_of(const std::vector<unsigned> &in, int tiles, int next = 1) {
  std::vector<unsigned> out;
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    if (i / tile % (tiles + 1) < tiles)
      out.push_back(in[i] + in[(i / tile + next) * tile + tile - 1 - i % tile]);
  return out;
}

std::optional<emu::Observation> check(int tiles, int blocks) {
  const auto h_in =
      checker::extreme_values<unsigned>(static_cast<std::size_t>(tiles + 1) * blocks * tile);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(static_cast<std::size_t>(tiles) * blocks * tile);
  const std::string what =
      checker::counted(tiles, "tile") + " and a key" +
      (blocks == 1 ? " for one block" : " for each of " + checker::counted(blocks, "block"));
  checker::perhaps(
      "Others still read this tile in the same round. One that comes may only take the "
      "place of a tile that all have read by the barrier ahead: which of the two "
      "buffers has that?",
      "shared_race",
      " is ahead of both");
  checker::perhaps("A copy may overwrite only what all have read by the barrier ahead of it, or "
                   "what nobody but its own thread reads, once that has been read. Which is it "
                   "here?",
                   "shared_race",
                   "already overwrites");
  checker::perhaps(
      tiles == 0 ? "Here a block has its key, and no line to unlock: is there a second tile to "
                   "fetch?"
                 : "The key is the last tile, and nothing lies behind it: in which rounds is "
                   "there still a tile that nobody has?",
      "out_of_bounds",
      "of in[");
  auto seen = checker::launch(
      what, [&] { add_opposite<<<blocks, tile>>>(d_in.data(), tiles, d_out.data()); });
  const auto got = d_out.download(), expected = expected_of(h_in, tiles);
  const auto own = expected_of(h_in, tiles, 0);
  checker::diagnose("own_tile",
                    got != expected && got == own,
                    what + ": each number met the one opposite to it in its own tile. It is locked "
                           "with the next one");
  checker::diagnose(
      "same_tile_again",
      tiles > 1 && got != expected &&
          std::equal(got.begin(), got.begin() + tile, expected.begin()) &&
          std::equal(got.begin() + tile, got.end(), own.begin() + tile),
      what + ": line 0 is right, and from line 1 on each number met its own tile: what was "
             "fetched is a tile that the block has already, and not the next one");
  const auto wrong = std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin();
  checker::diagnose("last_line_left",
                    tiles > 1 && wrong == (tiles - 1) * tile,
                    what + ": all lines but the last one are unlocked. It is locked with the key, "
                           "which lies behind it as one more tile");
  checker::expect_same("sums of " + what, got, expected, {}, tile);
  if (seen) {
    checker::expect_at_most(
        "shared_store.requests",
        static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests),
        0.0,
        "not_async",
        "numbers go through registers to shared memory, so a thread has to wait for "
        "them before it stores them there. cp.async needs no register");
    checker::expect_at_most("barriers_per_block",
                            checker::barriers_per_block(*seen),
                            tiles + 2.0,
                            "too_many_barriers",
                            what + ": one barrier for each tile and the key is enough, and at most "
                                   "one more");
  }
  return seen;
}

// The results of a tile fall on the same threads' numbers of the tile after the next. A copy may read at any moment
// between its begin and the wait for it: so what was under way by then has read some of the numbers that were there
// before, in one order or another, and what begins later never has. Of each tile one number is looked at, which its
// thread 0 copies, whatever the pieces are.
void expect_tile_ahead() {
  const int tiles = checker::random_values<int>(1, 5, 9)[0];
  const auto before = checker::random_values<unsigned>((tiles + 2) * tile, 0, ~0u);
  std::vector<bool> ahead(tiles); // [0] and [1]: nothing is stored where these tiles lie
  bool meanwhile = false; // some copy has read what was stored after it had begun
  checker::in_drawn_orders([&] {
    for (int twice = 0; twice < 2; ++twice) {
      const auto data = checker::on_device(before);
      checker::launch(std::to_string(tiles) + " tiles whose results lie two tiles further on", [&] {
        add_opposite<<<1, tile>>>(data.data(), tiles, data.data() + 2 * tile);
      });
      const auto after = data.download();
      for (int t = 2; t < tiles; ++t) {
        const unsigned sum = after[(t + 2) * tile], opposite = (t + 1) * tile + tile - 1;
        const auto read = [&](unsigned first) {
          return sum == first + before[opposite] || sum == first + after[opposite];
        };
        ahead[t] = ahead[t] || read(before[t * tile]);
        meanwhile = meanwhile || read(after[t * tile]);
      }
    }
  });
  checker::expect_at_least("tiles_ahead",
                           std::count(ahead.begin(), ahead.end(), true),
                           tiles - 2,
                           "not_ahead",
                           "the copy of a tile begins only after the results of the two before it "
                           "are stored, so nothing is under way meanwhile");
  checker::expect(
      meanwhile || !lab::on_emulator(), // a GPU's copies are mostly there before a block has stored
      "waited_at_once",
      "the copy of a tile begins ahead of the work on the one before, and is waited for "
      "ahead of it, too: nothing is under way meanwhile. Where does the wait belong?");
}

} // namespace

TEST_CASE("one tile, and some") {
  for (int tiles : {2, 1, 3, 8})
    check(tiles, 1);
  for (int tiles : checker::own_sizes(1, 40, 60))
    check(tiles, 1);
}

TEST_CASE("several blocks, and none that has a tile but its key") {
  check(5, 3);
  check(0, 2);
}

TEST_CASE("the next tile is under way") {
  const auto seen = check(8, 3);
  if (seen)
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  cudaFuncAttributes kernel;
  LAB_CHECK(cudaFuncGetAttributes(&kernel, add_opposite));
  checker::expect_at_most("shared_bytes",
                          static_cast<double>(kernel.sharedSizeBytes),
                          2.0 * tile * sizeof(unsigned),
                          "third_buffer",
                          "the results are right, but a block keeps more than two tiles. Of a tile "
                          "that others have left a thread needs one number, its own");
  expect_tile_ahead();
}

TEST_CASE("a picture") {
  constexpr int blocks = 4, tiles = 8; // of each block
  std::vector<bool> picture;
  for (int row = 0; row < blocks * tiles; ++row)
    for (int col = 0; col < tile; ++col) {
      const int x = col - 14, y = row - 15, away = x * x + y * y;
      const bool ring = 40 < away && away < 150, shaft = 24 < col && 12 < row && row < 18;
      const bool bit = 17 < row && ((46 < col && col < 51 && row < 26) || (54 < col && row < 23));
      picture.push_back(ring || (shaft && col < 60) || (bit && col < 60));
    }
  std::vector<unsigned> locked;
  for (int block = 0; block < blocks; ++block) {
    auto lines = checker::random_values<unsigned>((tiles + 1) * tile, 0, ~0u); // the last: the key
    for (int i = tiles * tile - 1; i >= 0; --i)
      lines[i] =
          picture[block * tiles * tile + i] - lines[(i / tile + 1) * tile + tile - 1 - i % tile];
    locked.insert(locked.end(), lines.begin(), lines.end());
  }
  checker::unobserved([&] {
    const auto d_in = checker::on_device(locked);
    const auto d_out = checker::poisoned<unsigned>(picture.size());
    add_opposite<<<blocks, tile>>>(d_in.data(), tiles, d_out.data());
    const auto got = d_out.download();
    checker::expect_same("a locked picture", got, expected_of(locked, tiles), {}, tile);
    checker::note("What was locked, and your kernel has unlocked:" +
                  checker::picture(std::vector<bool>(got.begin(), got.end()), tile));
  });
}
