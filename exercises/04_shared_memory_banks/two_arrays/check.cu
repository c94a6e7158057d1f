// Checks two_arrays.cu: three arrays that keep apart, aligned, big enough, beyond 48 KB, and no bigger than can be.
#include "checker/nasty.hpp"

#include <algorithm>
#include <numeric>

bool decode_blocks(const unsigned char *d_kinds,
                   const unsigned long long *d_words,
                   const unsigned *d_places,
                   int m,
                   int t,
                   int blocks,
                   unsigned long long *d_out);

namespace {

// Whether the emulator plays a device with less shared memory than the usual one.
bool smaller_device = false;

/// Bytes of shared memory that a block can have, without asking or by opting in.
int most(cudaDeviceAttr attribute) {
  int device = 0, bytes = 0;
  LAB_CHECK(cudaGetDevice(&device));
  LAB_CHECK(cudaDeviceGetAttribute(&bytes, attribute, device));
  return bytes;
}

struct Inputs {
  std::vector<unsigned char> kinds;
  std::vector<unsigned long long> words;
  std::vector<unsigned> places;

  Inputs(int m, int t, int blocks) {
    const std::size_t n = static_cast<std::size_t>(m) * blocks;
    for (unsigned kind : checker::random_values<unsigned>(n, 0, t - 1))
      kinds.push_back(static_cast<unsigned char>(kind));
    const auto halves = checker::extreme_values<unsigned>(2 * t);
    for (int i = 0; i < t; ++i)
      words.push_back(static_cast<unsigned long long>(halves[2 * i]) << 32 | halves[2 * i + 1]);
    places = checker::random_values<unsigned>(n, 0, m - 1);
  }

  std::vector<unsigned long long> decoded(int m) const {
    std::vector<unsigned long long> out;
    for (std::size_t i = 0; i < places.size(); ++i)
      out.push_back(words[kinds[i / m * m + places[i]]]);
    return out;
  }
};

/// Bytes of m kinds, the gap behind them, t words, and m places.
int needed(int m, int t) { return (m + 7) / 8 * 8 + 8 * t + 4 * m; }

/// What came of a call that asks for more than there is.
void expect_refusal(const std::string &what, bool done, cudaError_t error, bool untouched) {
  const std::string too_much = what + ": more than a block gets on this device";
  checker::expect(!(done && smaller_device),
                  "number_of_another_device",
                  too_much + ", which has less than the one before, and yet true came back. How "
                             "much a block gets has to be asked of the device that is there");
  checker::expect(!done, "claims_done", too_much + ", and yet true came back. Nothing was decoded");
  checker::expect(error == cudaSuccess,
                  "error_left_behind",
                  too_much + ". It returned false, but an error stays behind (" +
                      cudaGetErrorName(error) +
                      "): whoever asks for errors next takes it for theirs. What is more than a "
                      "block can have, CUDA need not be asked for");
  checker::expect(
      untouched, "wrong_result", too_much + ". It returned false, but something was written");
}

std::optional<emu::Observation> check(int m, int t, int blocks, bool fits = true) {
  const Inputs in(m, t, blocks);
  const auto d_kinds = checker::on_device(in.kinds);
  const auto d_words = checker::on_device(in.words);
  const auto d_places = checker::on_device(in.places);
  const auto d_out = checker::poisoned<unsigned long long>(in.places.size());
  const auto before = d_out.download();
  checker::perhaps("The arrays share bytes: each has to begin where the one before it ends",
                   "shared_race");
  const int bytes = needed(m, t);
  checker::perhaps(
      "At which byte does each array begin? The kinds take " + std::to_string(m) + ", the words " +
          std::to_string(8 * t) + " and the places " + std::to_string(4 * m) +
          ". A pointer to unsigned long long goes on by 8 for each 1 that is added, one "
          "to unsigned by 4, and bytes between two arrays count, too",
      "out_of_bounds");
  const std::string what = checker::counted(m, "element") + " and " + checker::counted(t, "word") +
                           " a block, " + std::to_string(bytes) + " bytes";
  bool done = false;
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    done =
        decode_blocks(d_kinds.data(), d_words.data(), d_places.data(), m, t, blocks, d_out.data());
    error = cudaGetLastError();
  });
  const auto got = d_out.download();
  if (!fits) {
    expect_refusal(what, done, error, got == before);
    return seen;
  }
  const int available = most(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  checker::expect(done,
                  "refused",
                  what +
                      ": false, although this device could do it. It needs these bytes and no "
                      "more, and a block gets up to " +
                      std::to_string(available) +
                      " here, if its kernel is allowed them: how many did you ask for?" +
                      (bytes == available
                           ? " Here they are all that there is, and " + std::to_string(m) +
                                 " is a multiple of 8: do you count a gap where none "
                                 "is, or does your test refuse what is equal?"
                           : ""));
  checker::expect(error == cudaSuccess,
                  "launch_failed",
                  what + ": the launch failed (" + cudaGetErrorName(error) +
                      "), and nobody noticed. A kernel gets what it was allowed, 48 KB if nobody "
                      "asked");
  checker::expect_same("decoded words, " + what, got, in.decoded(m));
  return seen;
}

/// The largest m for which `t` words and m elements find room in `bytes`.
int elements_in(int bytes, int t) {
  int m = (bytes - 8 * t) / 5;
  while (needed(m, t) > bytes)
    --m;
  return m;
}

} // namespace

TEST_CASE("a few") {
  check(64, 16, 1);
  check(1024, 256, 2);
}

TEST_CASE("odd numbers") {
  checker::unless_failed_before();
  for (int m : {1, 3, 33, 127, 1023})
    check(m, m % 3 + 1, 2);
}

TEST_CASE("48 KB, and more") {
  checker::unless_failed_before();
  const int without = elements_in(most(cudaDevAttrMaxSharedMemoryPerBlock), 256);
  checker::record("elements_without_opting_in", without);
  check(without, 256, 1);
  check(without + 1, 256, 1);
  check(without + checker::random_values<int>(1, 2, 4000)[0], 255, 1);
  check(10, 3, 1); // much less after much more
}

TEST_CASE("up to the last byte, and no further") {
  const int bytes = most(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int m = elements_in(bytes, 97) / 8 * 8; // without a gap
  check(m, (bytes - 5 * m) / 8, 1); // not one byte is left
  check(m + 1, (bytes - 5 * m) / 8, 1, false);
  check(bytes, 1, 1, false);
  check(100, 7, 2);
}

TEST_CASE("a device that has less of it") {
  if (!lab::on_emulator())
    return;
  const checker::PlayedDevice smaller("rtx3060");
  smaller_device = true;
  const int bytes = most(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int m = elements_in(bytes, 256) / 8 * 8;
  check(m + 8, 256, 1, false);
  check(m, 256, 1);
}

TEST_CASE("a block's threads share the work") {
  const auto seen = check(512, 64, 3);
  if (!seen)
    return;
  checker::expect_shared_used(
      *seen,
      emu::Access::shared_load, // what cp.async stores there is not among the requests
      48.0,
      "512 places, their kinds and their words are 16 requests each to read them from shared "
      "memory");
  checker::expect_lanes(*seen, emu::Access::shared_load, 30.0);
}

TEST_CASE("room for one tile more") {
  checker::unless_failed_before();
  const int bytes = most(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  std::string of_m = "\nm     ", yours = "\nyours ", record = "\nrecord";
  int found = 0;
  checker::unobserved([&] {
    for (int m = 1; m <= 4; ++m) {
      const int places_second = ((m + 3) / 4 * 4 + 4 * m + 7) / 8 * 8; // up to the words
      const int t = (bytes - std::min(needed(m, 0), places_second)) / 8;
      const auto d_kinds = checker::on_device(std::vector<unsigned char>(m));
      const auto d_words = checker::on_device(std::vector<unsigned long long>(t));
      const auto d_places = checker::on_device(std::vector<unsigned>(m));
      const auto d_out = checker::poisoned<unsigned long long>(m);
      const bool fits =
          decode_blocks(d_kinds.data(), d_words.data(), d_places.data(), m, t, 1, d_out.data());
      found += fits;
      const std::string most_tiles = std::to_string(t);
      of_m += std::string(most_tiles.size() + 1, ' ') + std::to_string(m);
      yours += "  " + (fits ? most_tiles : std::to_string(t - 1));
      record += "  " + most_tiles;
    }
  });
  checker::note("For how many tiles a block has room, cut in your order:" + of_m + yours + record +
                (found < 4 ? "\nThe other order finds room for the " +
                                 std::string(found == 3 ? "one" : "ones") + " that you lack."
                           : "\nThat is the record: not a tile more is to be had."));
}

TEST_CASE("a screen") {
  checker::unless_failed_before();
  constexpr int rows = 4, cols = 9, m = rows * cols;
  const std::vector<unsigned long long> tiles = {0, // the first row of pixels in the highest byte
                                                 0x183c7edbff245aa5,
                                                 0x423c7edbffbda524,
                                                 0x003c7edbff662400,
                                                 0x3c7effffffe7c3c3,
                                                 0x0018181818000000,
                                                 0x18183c7effffff00};
  const std::string screen = "111111030"
                             "222222000"
                             "040050040"
                             "000060000";
  const auto drawn = checker::random_values<unsigned>(m, 0u, ~0u);
  std::vector<unsigned> places(m);
  std::iota(places.begin(), places.end(), 0u);
  for (int i = m - 1; i > 0; --i)
    std::swap(places[i], places[drawn[i] % (i + 1)]);
  std::vector<unsigned char> kinds(m);
  for (int i = 0; i < m; ++i)
    kinds[places[i]] = static_cast<unsigned char>(screen[i] - '0');
  checker::unobserved([&] {
    const auto d_kinds = checker::on_device(kinds);
    const auto d_tiles = checker::on_device(tiles);
    const auto d_places = checker::on_device(places);
    const auto d_out = checker::poisoned<unsigned long long>(m);
    const int t = static_cast<int>(tiles.size());
    if (!decode_blocks(d_kinds.data(), d_tiles.data(), d_places.data(), m, t, 1, d_out.data()))
      return;
    const auto got = d_out.download();
    std::vector<bool> cells;
    for (int y = 0; y < 8 * rows; ++y)
      for (int x = 0; x < 8 * cols; ++x)
        cells.push_back(got[y / 8 * cols + x / 8] >> (63 - y % 8 * 8 - x % 8) & 1);
    std::string scrambled;
    for (const unsigned char kind : kinds)
      scrambled += " " + std::to_string(kind);
    checker::note(
        "The kinds as they are stored:" + scrambled +
        ". The screen that your kernel makes of them:" + checker::picture(cells, 8 * cols));
  });
}
