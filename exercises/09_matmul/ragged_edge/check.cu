// Checks ragged_edge.cu: phrases of every length, cut at the end of tunes of every length, and notes of every kind.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

__global__ void alike(const float *tune, int n, int K, int *C);

namespace {

using Tune = std::vector<float>;

constexpr int tile = 16;

/// For how long phrases of K notes go together that begin anywhere and end with the tune. Where neither has a note that
/// is compared, of `whole`, they agree if `nothing` does. Each `tile` notes are counted anew.
std::vector<int>
together(const Tune &tune, int K, int whole, bool nothing = false, int anew = 1 << 20) {
  const int n = static_cast<int>(tune.size());
  std::vector<int> C(tune.size() * tune.size());
  for (int row = 0, i = 0; row < n; ++row)
    for (int col = 0; col < n; ++col, ++i) {
      bool same = true;
      for (int k = 0; k < whole; ++k) {
        const bool first = k < K && row + k < n, second = k < K && col + k < n;
        same = (same || k % anew == 0) &&
               (first && second ? tune[row + k] == tune[col + k] : nothing && !first && !second);
        C[i] += same;
      }
    }
  return C;
}

std::optional<emu::Observation> check(const Tune &tune, int K, const std::string &of_what = "") {
  const int n = static_cast<int>(tune.size()), whole = (K + tile - 1) / tile * tile;
  const auto d_tune = checker::on_device(tune);
  const auto d_C = checker::poisoned<int>(tune.size() * tune.size());
  const std::string what =
      checker::elements(n, "note") + of_what + ", phrases of " + std::to_string(K);
  checker::perhaps(
      n == 0
          ? "A tune without notes has no last one, either: who reads another note in place of one "
            "that is not there needs one that is"
          : "The phrase of the last place has one note, that of the one before two: note k of "
            "the phrase from `row` on is there as long as row + k is below n, and of that from "
            "`col` on as long as col + k is",
      "out_of_bounds");
  checker::perhaps("Where a phrase ends within a tile, the rest of the tile is read as well: for a "
                   "note that is not there store what agrees with none, in an else",
                   "uninitialised");
  auto seen = checker::launch(what, [&] {
    const dim3 grid(checker::enough_blocks(n, tile), checker::enough_blocks(n, tile));
    alike<<<grid, dim3(tile, tile)>>>(d_tune.data(), n, K, d_C.data());
  });
  const auto got = d_C.download(), expected = together(tune, K, K);
  checker::diagnose("past_the_phrase",
                    K % tile != 0 && got == together(tune, whole, whole),
                    what + ": compared are " + std::to_string(whole) +
                        " notes, as many as whole tiles have. A phrase has K of them, though the "
                        "tune goes on");
  for (const int anew : {1, tile})
    checker::diagnose("counts_on",
                      got != expected && got == together(tune, K, K, false, anew),
                      what + ": counted are notes that agree behind the first that does not" +
                          (anew == tile ? ": each tile begins to count anew" : "") +
                          ". Two phrases that have parted are done, in later tiles, too");
  int longest = 0;
  for (const int notes : got)
    longest = std::max(longest, notes);
  auto no_longer = expected;
  for (int &notes : no_longer)
    notes = std::min(notes, longest);
  checker::diagnose("no_longer",
                    longest >= tile && got != expected && got == no_longer,
                    what + ": no two phrases go together for more than " + std::to_string(longest) +
                        " notes, and some should. A phrase may have any number of them");
  bool only_cut =
      got != expected; // wrong are phrases alone that the tune's end cuts, which agree too often
  for (int row = 0, i = 0; row < n; ++row)
    for (int col = 0; col < n; ++col, ++i) {
      only_cut = only_cut &&
                 (got[i] == expected[i] || (got[i] > expected[i] && std::max(row, col) + K > n));
    }
  checker::diagnose("nothing_agrees",
                    got != expected && got == together(tune, K, whole, true),
                    what +
                        ": too many notes agree. What is not there in the one phrase agrees with "
                        "what is not there in the other");
  checker::diagnose("a_note_after_all",
                    only_cut,
                    what +
                        ": too many notes agree, where a phrase has ended. What stands for a note "
                        "that is not there is a note of the tune, which may have any");
  checker::expect_same("the table of " + what, got, expected, {}, n);
  return seen;
}

Tune random_tune(int n) {
  Tune tune;
  for (const int note : checker::random_values<int>(n, 1, 3))
    tune.push_back(static_cast<float>(note));
  return tune;
}

std::optional<emu::Observation> check(int n, int K) { return check(random_tune(n), K); }

} // namespace

TEST_CASE("phrases of a tile") {
  check(32, 16);
  check(16, 32);
}

TEST_CASE("phrases of any length") {
  check(32, 5);
  check(32, 20);
  check(32, 0);
}

TEST_CASE("tunes of any length") {
  check(21, 16);
  check(37, 21);
  check(1, 1);
  check(5, 3);
  check(0, 3);
  for (int n : checker::own_sizes(1, 99, 200)) {
    check(n, 21);
    check(37, n);
  }
  checker::at_large_size([] { check(Tune(67, 2.0f), 67, ", all alike"); });
}

TEST_CASE("any notes") {
  check(checker::extreme_values<float>(33), 9, " of any kind");
  for (const float note : {-1.0f, 0.0f, 1e30f, -1e30f, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY})
    check(Tune(20, note), 20, ", all alike"); // what might stand for one that is not there
  for (const double number : checker::own_numbers())
    check(Tune(20, static_cast<float>(number)),
          20,
          ", all " + checker::detail::written(number) + " (which your code names)");
}

TEST_CASE("what is loaded in vain") {
  const auto seen = check(Tune(32, 2.0f), 16, ", all alike");
  if (!seen)
    return;
  checker::record("global_load.active_lanes",
                  checker::total(*seen, emu::Access::global_load).active_lanes());
  checker::expect_lanes(*seen,
                        emu::Access::shared_load,
                        18.0,
                        "each thread compares two phrases of its own, out of the tiles");
}

TEST_CASE("by tiles, whatever fits") {
  checker::unless_failed_before();
  for (const auto &[n, K] : {std::pair(37, 21), std::pair(32, 5), std::pair(48, 32)})
    if (const auto seen = check(n, K))
      checker::expect_shared_used(*seen,
                                  emu::Access::shared_load,
                                  8,
                                  checker::counted(n, "note") + ", phrases of " +
                                      std::to_string(K) +
                                      ": these are to be compared out of the tiles, too");
}

TEST_CASE("twinkle, twinkle") {
  checker::unless_failed_before();
  checker::unobserved([] {
    Tune tune;
    const std::string notes = "CCGGAAGFFEEDDCGGFFEEDGGFFEEDCCGGAAGFFEEDDC";
    for (const char note : notes)
      tune.push_back(static_cast<float>(note));
    const int n = static_cast<int>(tune.size());
    const auto d_tune = checker::on_device(tune);
    const auto d_C = checker::poisoned<int>(n * n);
    alike<<<dim3(3, 3), dim3(tile, tile)>>>(d_tune.data(), n, n, d_C.data());
    const auto C = d_C.download();
    std::vector<bool> cells;
    int longest = 1; // C's place for it: not on the diagonal, where all go together with themselves
    for (int i = 0; i < n * n; ++i) {
      cells.push_back(C[i] >= 4);
      if (i % n > i / n && C[i] > C[longest])
        longest = i;
    }
    const int from = longest / n, again = longest % n;
    checker::note(
        "The 42 notes of Twinkle, Twinkle, Little Star against themselves: where four or more go "
        "together, by your kernel. What runs beside the diagonal comes twice; the longest is " +
        notes.substr(from, C[longest]) + ", from note " + std::to_string(from) +
        " on and again from note " + std::to_string(again) + " on:" + checker::picture(cells, n));
  });
}
