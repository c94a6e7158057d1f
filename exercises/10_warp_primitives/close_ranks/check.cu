// Checks close_ranks.cu: each gap has the nearest number of its warp, by one vote and one shuffle.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

__global__ void close_ranks(const unsigned *in, int n, unsigned *out, unsigned *counts);

namespace {

// Whom a gap asks.
enum class Asks { nearest, nearest_or_right, left, left_or_right, right_or_left };

// The number of the lane that lane i asks, -1: nobody.
int asked(const std::vector<unsigned> &in, int i, Asks asks) {
  const int first = i / 32 * 32, last = std::min<int>(first + 32, static_cast<int>(in.size())) - 1;
  int left = i, right = i;
  while (left >= first && in[left] == 0)
    --left;
  while (right <= last && in[right] == 0)
    ++right;
  if (left < first)
    left = -1;
  if (right > last || asks == Asks::left)
    right = -1;
  if (left < 0 || right < 0)
    return std::max(left, right);
  const bool takes_right = asks == Asks::nearest_or_right || asks == Asks::right_or_left;
  if (asks == Asks::left_or_right || asks == Asks::right_or_left || i - left == right - i)
    return takes_right ? right : left;
  return i - left < right - i ? left : right;
}

std::vector<unsigned> filled(const std::vector<unsigned> &in, Asks asks = Asks::nearest) {
  std::vector<unsigned> out(in.size(), 0);
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    if (const int lane = asked(in, i, asks); lane >= 0)
      out[i] = in[lane];
  return out;
}

// Whether each wrong number is that of the lane beside the one to ask.
bool one_beside(const std::vector<unsigned> &in, const std::vector<unsigned> &got) {
  const int n = static_cast<int>(in.size());
  for (int i = 0; i < n; ++i) {
    const int lane = asked(in, i, Asks::nearest);
    const unsigned right = lane < 0 ? 0 : in[lane];
    if (got[i] != right && !(lane > 0 && got[i] == in[lane - 1]) &&
        !(lane >= 0 && lane + 1 < n && got[i] == in[lane + 1]))
      return false;
  }
  return true;
}

// What comes of taking the zeros above the highest bit on the left for the distance to it.
std::vector<unsigned> by_zeros(const std::vector<unsigned> &in, bool gaps_alone) {
  std::vector<unsigned> out = in;
  for (int i = 0, n = static_cast<int>(in.size()); i < n; ++i) {
    const int left = asked(in, i, Asks::left), right = asked(in, i, Asks::right_or_left);
    const int zeros = left < 0 ? 99 : 31 - left % 32, further = right < i ? 99 : right - i;
    const int lane = (zeros <= further ? i % 32 - zeros : i % 32 + further) & 31;
    if (in[i] == 0 || !gaps_alone)
      out[i] = i - i % 32 + lane < n ? in[i - i % 32 + lane] : 0;
  }
  return out;
}

// The first of the wrong numbers if this holds of all of them; else -1.
int first_wrong(const std::vector<unsigned> &got,
                const std::vector<unsigned> &expected,
                const std::function<bool(int)> &holds) {
  int first = -1;
  for (int i = static_cast<int>(got.size()) - 1; i >= 0; --i)
    if (got[i] != expected[i]) {
      if (!holds(i))
        return -1;
      first = i;
    }
  return first;
}

void compare(const std::vector<unsigned> &h_in,
             const std::vector<unsigned> &got,
             const std::string &what) {
  const std::vector<unsigned> expected = filled(h_in);
  const bool wrong = got != expected;
  std::vector<unsigned> moved(h_in.size(), 0);
  std::vector<int> before((h_in.size() + 31) / 32, 0);
  for (std::size_t i = 0; i < h_in.size(); ++i)
    if (h_in[i] != 0)
      moved[i / 32 * 32 + before[i / 32]++] = h_in[i];
  bool at_front = wrong; // whatever stands behind
  for (std::size_t i = 0; i < h_in.size(); ++i)
    at_front = at_front && (moved[i] == 0 || got[i] == moved[i]);
  const int without_left =
      first_wrong(got, expected, [&](int i) { return asked(h_in, i, Asks::left) < 0; });
  const auto has_one_side = [&](int i) {
    return asked(h_in, i, Asks::left_or_right) == asked(h_in, i, Asks::right_or_left);
  };
  const int lost = first_wrong(got, expected, [&](int i) { return h_in[i] != 0; });
  const int one_side =
      without_left >= 0 || lost >= 0 ? -1 : first_wrong(got, expected, has_one_side);
  const bool left_only = one_side >= 0 && asked(h_in, one_side, Asks::nearest) < one_side;
  checker::diagnose(
      "none_on_one_side",
      one_side >= 0,
      what + ": element " + std::to_string(one_side) + " has a number on its " +
          (left_only ? "left" : "right") +
          " only, and whatever is wrong has one on one side only. Of an empty word "
          "__ffs(0) - 1 is -1, and 31 - __clz(0) too: a side without a number must not "
          "count as the nearer one");
  checker::diagnose(
      "number_lost",
      lost >= 0,
      what + ": element " + std::to_string(lost) +
          " is no gap, and has another lane's number: all gaps are right. A lane with a "
          "number is the nearest to itself. Do your masks leave its own bit out?");
  for (const bool of_first : {true, false})
    checker::diagnose(
        "one_for_all",
        wrong && first_wrong(got,
                             expected,
                             [&](int i) {
                               const int n = static_cast<int>(h_in.size()), begin = i / 32 * 32,
                                         end = std::min(begin + 32, n);
                               const int first = asked(h_in, begin, Asks::right_or_left),
                                         last = asked(h_in, end - 1, Asks::left);
                               return first >= 0 && got[i] == h_in[of_first ? first : last];
                             }) >= 0,
        what + ": what is wrong is, each time, the " + (of_first ? "first" : "last") +
            " number of the warp. Of the vote only the bits on one side of a lane say "
            "who is nearest there: the others have to be masked away before " +
            (of_first ? "__ffs()" : "__clz()") + " looks");
  checker::diagnose(
      "gaps_left", wrong && got == h_in, what + ": nothing has changed, gaps are still 0");
  checker::diagnose(
      "moved_to_the_front",
      at_front,
      what + ": the numbers have moved to the front of their warps' places. Each stays in "
             "its place; only gaps take the number of another lane");
  checker::diagnose(
      "left_alone",
      wrong && got == filled(h_in, Asks::left),
      what + ": each gap has the nearest number on its left. Is one on the right nearer?");
  checker::diagnose("left_alone",
                    wrong && got == filled(h_in, Asks::left_or_right),
                    what + ": gaps take the nearest number on their left, if there is any, however "
                           "near the right one is");
  checker::diagnose("other_of_two",
                    wrong && got == filled(h_in, Asks::nearest_or_right),
                    what + ": of two numbers that are as near, gaps took the right one");
  checker::diagnose("none_on_the_left",
                    without_left >= 0,
                    what + ": element " + std::to_string(without_left) +
                        " has no number on its left in its warp, and all that is wrong is such "
                        "elements: what does 31 - __clz(0) give then, and how far away is that?");
  for (const bool gaps_alone : {true, false})
    checker::diagnose("zeros_for_distance",
                      wrong && got == by_zeros(h_in, gaps_alone),
                      what + ": __clz() is taken for how far the nearest number on the left is. It "
                             "counts the zeros above the highest bit, from bit 31 on and not from "
                             "a lane's own: that bit's number, and so the lane's, is 31 less that");
  checker::diagnose(
      "one_beside",
      wrong && one_beside(h_in, got),
      what + ": gaps get what the lane beside the nearest number has. __ffs() counts from 1, "
             "lanes from 0, and a bit's number in a shifted word is a distance");
  const auto of_two = filled(h_in, Asks::nearest_or_right);
  const int either =
      first_wrong(got, expected, [&](int i) { return has_one_side(i) || got[i] == of_two[i]; });
  checker::diagnose("ties_and_ends",
                    either >= 0,
                    what + ": what is wrong is of two kinds. Of two numbers that are as near, gaps "
                           "took the right one; and where there are numbers on one side only, the "
                           "other side counts as near");
  checker::expect_same("numbers of " + what, got, expected);
}

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in, const std::string &what) {
  const int n = static_cast<int>(h_in.size()), groups = (n + 31) / 32;
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const auto d_counts = checker::poisoned<unsigned>(groups);
  auto seen = checker::launch(what, [&] {
    close_ranks<<<checker::enough_blocks(n, 128), 128>>>(
        d_in.data(), n, d_out.data(), d_counts.data());
  });
  std::vector<unsigned> counts(groups, 0), of_others(groups, 0);
  for (int i = 0; i < n; ++i)
    counts[i / 32] += h_in[i] != 0;
  for (int group = 0; group < groups; ++group)
    of_others[group] = std::min(32, n - 32 * group) - counts[group];
  if (seen)
    checker::expect(
        !seen->find("absent_lanes"),
        "lanes_left_out",
        what + ": a vote names all 32 lanes, and some of them do not come to it. Vote where "
               "all lanes come");
  const auto got_counts = d_counts.download();
  checker::diagnose("gaps_counted",
                    got_counts != counts && got_counts == of_others,
                    what + ": the gaps were counted, not the numbers");
  std::vector<unsigned> of_all(groups);
  for (int group = 0; group < groups; ++group)
    of_all[group] = counts[group] + of_others[group];
  checker::diagnose("all_counted",
                    got_counts != counts && got_counts == of_all,
                    what +
                        ": counted are all lanes that have an element, gaps too. What is the vote "
                        "about? Gaps are 0");
  checker::expect_same("counts of " + what, got_counts, counts);
  compare(h_in, d_out.download(), what);
  if (seen)
    checker::expect_at_most(
        "meetings_per_warp",
        checker::meetings_per_warp(*seen),
        2.0,
        "too_many_shuffles",
        what + ": one vote tells each lane which of the 32 have a number, and so whom to ask: one "
               "shuffle is left");
  return seen;
}

// About two thirds are gaps, and the largest number is none.
std::vector<unsigned> numbers(int n) {
  auto values = checker::extreme_values<unsigned>(n);
  for (unsigned &value : values)
    value = value % 3 != 0 ? 0 : value;
  return values;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(numbers(n), checker::counted(n, "number"));
}

TEST_CASE("all gaps, no gaps, one number") {
  checker::unless_failed_before();
  check(std::vector<unsigned>(130, 0), "130 gaps");
  check(checker::random_values<unsigned>(15, 1, 9), "15 numbers without a gap");
  for (int where : {0, 31, 37}) {
    std::vector<unsigned> values(40, 0);
    values[where] = 7;
    check(values, "40 numbers, all gaps but number " + std::to_string(where));
  }
}

TEST_CASE("one vote and one shuffle") {
  std::vector<unsigned> three(32, 0);
  for (const int lane : {4, 15, 20})
    three[lane] = 1;
  checker::record("whom_lane_12_asks", asked(three, 12, Asks::nearest));
  const auto seen = check(numbers(1024), "1024 numbers");
  if (!seen)
    return;
  checker::expect_at_least(
      "meetings_per_warp",
      checker::meetings_per_warp(*seen),
      2.0,
      "no_vote",
      "the result is right here, but without a vote and a shuffle of all lanes. "
      "__activemask() tells which lanes happen to run together, and another "
      "lane's number comes by a shuffle");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_each_loaded_once(*seen, 1024);
  checker::expect_masks_named(*seen);
  checker::expect_no_shared(*seen);
}

TEST_CASE("a picture with gaps") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int rows = 36, cols = 64;
    std::vector<unsigned> whole, h_in; // 2: ink, 1: paper
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        const double x = (col - 31.5) / 26, y = (row - 17.5) / 17;
        const double r = x * x + y * y, eye = std::abs(x) - 0.35;
        const bool hole =
            eye * eye + (y + 0.3) * (y + 0.3) < 0.03 || (r > 0.25 && r < 0.5 && y > 0.2);
        const bool ink = r < 1.0 && !hole;
        whole.push_back(ink ? 2 : 1);
      }
    const auto lost = checker::random_values<unsigned>(whole.size(), 0, 2);
    for (std::size_t i = 0; i < whole.size(); ++i)
      h_in.push_back(lost[i] == 0 ? whole[i] : 0);
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(whole.size()),
               d_counts = checker::poisoned<unsigned>(whole.size() / 32);
    close_ranks<<<rows * cols / 128, 128>>>(
        d_in.data(), rows * cols, d_out.data(), d_counts.data());
    const auto got = d_out.download();
    std::vector<bool> cells;
    int right = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      cells.push_back(got[i] == 2);
      right += got[i] == whole[i];
    }
    checker::note("Two of three points of a picture got lost. With your kernel " +
                  std::to_string(100 * right / (rows * cols)) +
                  " % are right again:" + checker::picture(cells, cols));
  });
}
