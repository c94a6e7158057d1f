// Checks ragged_edge.cu: every shape, towns without a road, and lengths beyond every other.
#include "products.hpp"

#include "checker/nasty.hpp"

#include <algorithm>

__global__ void shortest(const float *A, const float *B, float *C, int M, int N, int K);

namespace {

using Lengths = std::vector<float>;

/// Of ways over the first `towns` towns.
Lengths ways(const Lengths &A, const Lengths &B, int M, int N, int K, int towns) {
  Lengths C(static_cast<std::size_t>(M) * N, INFINITY);
  for (int row = 0; row < M; ++row)
    for (int k = 0; k < towns; ++k)
      for (int col = 0; col < N; ++col)
        C[row * N + col] = std::fmin(C[row * N + col], A[row * K + k] + B[k * N + col]);
  return C;
}

std::optional<emu::Observation>
check(const Lengths &A, const Lengths &B, int M, int N, int K, const std::string &of_what = "") {
  constexpr int tile = 16;
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const std::string what = std::to_string(M) + " towns, over " + std::to_string(K) + ", to " +
                           std::to_string(N) + of_what;
  perhaps_at_edge(M, N, K, tile, tile);
  checker::perhaps(M % tile + N % tile + K % tile == 0
                       ? ""
                       : "Where a matrix ends within a tile, the rest of the tile is read as well: "
                         "for an element that is not there store what changes nothing, in an else",
                   "uninitialised");
  auto seen = checker::launch(what, [&] {
    const dim3 grid(checker::enough_blocks(N, tile), checker::enough_blocks(M, tile));
    shortest<<<grid, dim3(tile, tile)>>>(d_A.data(), d_B.data(), d_C.data(), M, N, K);
  });
  const auto got = d_C.download(), expected = ways(A, B, M, N, K, K);
  checker::diagnose(
      "town_at_no_distance",
      K % tile != 0 && got == Lengths(got.size(), 0.0f),
      what + ": all ways have length 0. Behind the last town there seems to be one more, "
             "with roads of length 0 to everywhere");
  checker::diagnose("towns_left_out",
                    K % tile != 0 && got == ways(A, B, M, N, K, K / tile * tile),
                    what + ": the ways over the towns of the last, partial tile are missing");
  for (std::size_t i = 0; i < got.size(); ++i)
    checker::diagnose(
        "long_is_not_infinite",
        got[i] < expected[i] && expected[i] == INFINITY,
        what +
            ": there is no way, and yet one came out, over a town that is not there. However large "
            "the number that fills the edge, a way may be longer: only INFINITY is longer than "
            "any");
  checker::expect_same(what, got, expected, {}, N);
  return seen;
}

std::optional<emu::Observation> check(int M, int N, int K) {
  return check(whole_numbers(M * K), whole_numbers(K * N), M, N, K);
}

Lengths extreme_lengths(int n) {
  auto lengths = checker::extreme_values<float>(n);
  for (float &length : lengths)
    length = std::isnan(length) ? INFINITY : std::fabs(length);
  return lengths;
}

/// A labyrinth of `rows` x `cols` places, in each of which one comes from each other one by one way.
struct Labyrinth {
  static constexpr int rows = 5, cols = 15, places = rows * cols;

  Labyrinth() : roads(places * places, INFINITY) {
    std::vector<int> part(places); // places that one comes to from each other have the same
    for (int place = 0; place < places; ++place) {
      part[place] = place;
      roads[place * places + place] = 0.0f;
    }
    auto walls = checker::random_values<int>(20 * places, 0, 2 * places - 1);
    for (int wall = 0; wall < 2 * places; ++wall) // what has not been drawn
      walls.push_back(wall);
    for (const int wall : walls) {
      const int place = wall / 2, next = place + (wall % 2 == 0 ? 1 : cols);
      const bool inside = wall % 2 == 0 ? next % cols != 0 : next < places;
      if (!inside || part[place] == part[next])
        continue;
      roads[place * places + next] = roads[next * places + place] = 1.0f;
      std::ranges::replace(part, int(part[next]), int(part[place]));
    }
  }

  /// As text, with the shortest way from the first place to the last.
  /// @param lengths  those of all shortest ways
  std::string text(const Lengths &lengths) const {
    constexpr int width = 2 * cols + 1;
    std::vector<std::string> cells((2 * rows + 1) * width, "██");
    const auto at = [](int place) {
      return (2 * (place / cols) + 1) * width + 2 * (place % cols) + 1;
    };
    for (int a = 0; a < places; ++a)
      for (int b = a; b < places; ++b)
        if (roads[a * places + b] != INFINITY)
          cells[(at(a) + at(b)) / 2] = "  ";
    constexpr int goal = places - 1;
    int here = 0;
    for (int steps = 0; here != goal && steps < places; ++steps) {
      cells[at(here)] = "• ";
      int next = here;
      for (int place = 0; place < places; ++place)
        if (roads[here * places + place] == 1.0f &&
            lengths[place * places + goal] < lengths[next * places + goal])
          next = place;
      cells[(at(here) + at(next)) / 2] = "• ";
      here = next;
    }
    cells[at(here)] = "• ";
    std::string all;
    for (std::size_t i = 0; i < cells.size(); ++i)
      all += (i % width == 0 ? "\n" : "") + cells[i];
    return all;
  }

  Lengths roads; // of length 1, from each place to each
};

} // namespace

TEST_CASE("numbers of towns that fit the tiles") {
  check(16, 16, 16);
  check(32, 48, 64);
}

TEST_CASE("one edge at a time") {
  check(21, 16, 16);
  check(16, 21, 16);
  check(16, 16, 21);
  check(5, 16, 32);
  check(32, 5, 16);
  check(16, 32, 5);
}

TEST_CASE("numbers that do not fit") {
  check(17, 33, 16);
  check(16, 16, 20);
  check(37, 21, 43);
  check(1, 1, 1);
}

TEST_CASE("towns that no road leads to, and no towns at all") {
  check(Lengths(20 * 21, INFINITY), whole_numbers(21 * 5), 20, 5, 21, ", without any first road");
  check(20, 5, 0);
}

TEST_CASE("roads of any length") {
  check(extreme_lengths(20 * 21), extreme_lengths(21 * 20), 20, 20, 21, ", by roads of any length");
}

TEST_CASE("what is loaded in vain") {
  const auto seen = check(20, 20, 20);
  if (!seen)
    return;
  checker::record("global_load.active_lanes",
                  checker::total(*seen, emu::Access::global_load).active_lanes());
  // Threads without a result need no product, and 20 of each 32 have one.
  checker::expect_lanes(*seen, emu::Access::shared_load, 18.0);
}

TEST_CASE("a labyrinth") {
  checker::unobserved([] {
    constexpr int places = Labyrinth::places, tiles = (places + 15) / 16;
    const Labyrinth labyrinth;
    Lengths lengths = labyrinth.roads;
    for (int longest = 1; longest < places; longest *= 2) { // ways of twice as many steps
      const auto d_ways = checker::on_device(lengths);
      const auto d_longer = checker::poisoned<float>(lengths.size());
      shortest<<<dim3(tiles, tiles), dim3(16, 16)>>>(
          d_ways.data(), d_ways.data(), d_longer.data(), places, places, places);
      lengths = d_longer.download();
    }
    checker::note("75 places, whose roads have been multiplied by themselves seven times: " +
                  std::to_string(static_cast<int>(lengths[places - 1])) +
                  " steps by the shortest way." + labyrinth.text(lengths));
  });
}
