// Checks two_arrays.cu: three arrays, aligned, that keep apart as long as they are needed, in few bytes.
#include "checker/nasty.hpp"

#include <algorithm>
#include <map>
#include <numeric>

void draw(char *pixels);

bool decode_blocks(const unsigned char *d_kinds,
                   const unsigned long long *d_words,
                   const unsigned *d_places,
                   int m,
                   int t,
                   int blocks,
                   unsigned long long *d_out);

namespace {

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

/// Bytes of m places, and of m kinds or t words, whose turn comes later.
int in_turn(int m, int t) { return 4 * m + std::max(m, 8 * t); }

std::optional<emu::Observation> check(int m, int t, int blocks) {
  const Inputs in(m, t, blocks);
  const auto d_kinds = checker::on_device(in.kinds);
  const auto d_words = checker::on_device(in.words);
  const auto d_places = checker::on_device(in.places);
  const auto d_out = checker::poisoned<unsigned long long>(in.places.size());
  checker::perhaps("Two arrays share bytes, and both are needed at that time: the kinds and places "
                   "come at once, and "
                   "the places stay to the end",
                   "shared_race");
  checker::perhaps(
      "At which byte does each array begin, and until when is it needed? The kinds take " +
          std::to_string(m) + ", the tiles " + std::to_string(8 * t) + " and the places " +
          std::to_string(4 * m) +
          ". A pointer to unsigned long long goes on by 8 for each 1 that is added, one "
          "to unsigned by 4, and bytes between two arrays count, too",
      "out_of_bounds");
  checker::perhaps("No kind is so large: the places say the kinds from the second barrier on, and "
                   "tiles that come then "
                   "must not lie over them",
                   "out_of_bounds",
                   "read of");
  const std::string what = checker::counted(m, "kind") + ", as many places and " +
                           checker::counted(t, "tile") + " a block";
  bool done = false;
  auto seen = checker::launch(what, [&] {
    done =
        decode_blocks(d_kinds.data(), d_words.data(), d_places.data(), m, t, blocks, d_out.data());
  });
  const int bytes = in_turn(m, t), available = most(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  checker::expect(done,
                  "refused",
                  what + ": false, although " + std::to_string(bytes) +
                      " bytes can do, and a few between, and a block gets up to " +
                      std::to_string(available) + " here. " +
                      (5 * m + 8 * t > available
                           ? "Side by side the arrays take " + std::to_string(5 * m + 8 * t) +
                                 ": which of them does nobody need any more when another one "
                                 "comes? If two take turns already, where do bytes lie idle?"
                           : "How many did you ask for?"));
  checker::expect_same("decoded words, " + what, d_out.download(), in.decoded(m));
  return seen;
}

/// The largest m for which so many bytes hold t words and m elements, in turn.
int elements_in(int bytes, int t) {
  int m = bytes / 5;
  while (in_turn(m, t) > bytes)
    --m;
  return m;
}

/// The piece byte by byte while there are elements of this size in it, beside the places, and as far
/// as one request of each array's stores shows it.
std::string piece_of(const emu::Observation &seen, unsigned beside) {
  std::map<std::uint64_t, unsigned> elements; // where one lies, and its bytes
  std::uint64_t begin = ~std::uint64_t{0};
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines)
      for (int lane = 0; lane < 32; ++lane)
        if (line.access == emu::Access::shared_store && line.worst.active >> lane & 1) {
          begin = std::min(begin, line.worst.address[lane]);
          if (line.access_bytes == 4 || line.access_bytes == beside)
            elements[line.worst.address[lane]] = line.access_bytes;
        }
  std::string piece;
  for (const auto &[at, bytes] : elements)
    if (const std::uint64_t place = at - begin; place < 70) {
      piece.resize(std::max<std::size_t>(piece.size(), place), '.');
      piece += bytes == 1 ? "k" : bytes == 4 ? "[p ]" : "[ tile ]";
    }
  return piece;
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
  for (int n : checker::own_sizes(1, 4000, 6000)) {
    check(n, 3, 1);
    if (n <= 256)
      check(20, n, 1);
  }
}

TEST_CASE("48 KB, and more") {
  checker::unless_failed_before();
  const int without = elements_in(most(cudaDevAttrMaxSharedMemoryPerBlock), 256);
  checker::record("elements_without_opting_in", without);
  check(without + checker::random_values<int>(1, 2, 4000)[0], 255, 1);
  check(10, 3, 1); // much less after much more
}

TEST_CASE("the largest screens") {
  checker::unless_failed_before();
  constexpr int t = 256, idle = 8;
  const int m = elements_in(most(cudaDevAttrMaxSharedMemoryPerBlockOptin) - idle, t);
  check(m, t, 1);
  check(m - 1, t, 1);
}

TEST_CASE("no bytes to spare") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  constexpr int idle = 8;
  const auto tight = [](int m, int t) {
    const checker::FewBytes few(checker::FewBytes::shared, in_turn(m, t) + idle);
    check(m, t, 1);
  };
  const auto drawn = checker::random_values<int>(4, 1, 256);
  for (const int m : {1, 2, 33, 127, 200, 1023, 1024}) {
    tight(m, m % 3 + 1);
    tight(m, drawn[m % 4]);
  }
  for (int n : checker::own_sizes(1, 4000, 6000)) {
    tight(n, 3);
    if (n <= 256)
      tight(20, n);
  }
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

TEST_CASE("a piece of memory") {
  constexpr int m = 9, t = 2;
  const auto seen = check(m, t, 1);
  if (!seen)
    return;
  std::string early = piece_of(*seen, 1), late = piece_of(*seen, 8);
  const std::size_t bytes = std::max(early.size(), late.size());
  early.resize(bytes, '.');
  late.resize(bytes, '.');
  std::size_t idle = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    idle += early[i] == '.' && late[i] == '.';
  if (bytes < 70)
    checker::note(
        "Your piece for 9 kinds, 2 tiles and 9 places, a character for each byte, early:\n" +
        early + "\nand late:\n" + late + "\n" +
        (idle > 0 ? checker::counted(static_cast<long long>(idle), "byte") +
                        " of it lie idle, early and late: what could lie there?"
                  : checker::counted(static_cast<long long>(bytes), "byte") +
                        (bytes > static_cast<std::size_t>(in_turn(m, t))
                             ? ": is there a cut with fewer?"
                             : ", none of them idle all the time: that is the record.")));
}

TEST_CASE("a screen") {
  checker::unless_failed_before();
  constexpr int rows = 4, cols = 9, m = rows * cols;
  std::string pixels(4096, '\0');
  draw(pixels.data());
  pixels.resize(std::min(pixels.find('\0'), pixels.size()));
  checker::expect(pixels.size() == 64 && pixels.find_first_not_of(".#") == std::string::npos,
                  "not_8_x_8",
                  "a tile has 8 rows of 8 pixels, each # or a dot. Yours has " +
                      checker::counted(static_cast<long long>(pixels.size()), "character"));
  unsigned long long own = 0;
  for (const char pixel : pixels)
    own = own << 1 | (pixel == '#');
  const std::vector<unsigned long long> tiles = {0, // the first row of pixels in the highest byte
                                                 0x183c7edbff245aa5,
                                                 0x423c7edbffbda524,
                                                 own,
                                                 0x3c7effffffe7c3c3,
                                                 0x0018181818000000,
                                                 0x18183c7effffff00};
  const std::string screen = "111111000"
                             "222222030"
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
    checker::note("The kinds as they are stored:" + scrambled +
                  ". The screen that your kernel makes of them, with your tile (3) in it:" +
                  checker::picture(cells, 8 * cols));
  });
}
