// Checks close_ranks.cu: what each warp keeps, in order, by one vote.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void close_ranks(const unsigned *in, int n, unsigned *out, unsigned *counts);

namespace {

constexpr unsigned untouched = 0xCDCDCDCDu; // lab::poison

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in, const std::string &what) {
  const int n = static_cast<int>(h_in.size()), groups = (n + 31) / 32;
  const auto d_in = checker::on_device(h_in);
  // Whole groups, so that a number that is moved too far still lands in its own.
  const auto d_out = checker::on_device(std::vector<unsigned>(32 * groups, untouched));
  const auto d_counts = checker::poisoned<unsigned>(groups);
  auto seen = checker::launch(what, [&] {
    close_ranks<<<checker::enough_blocks(n, 128), 128>>>(
        d_in.data(), n, d_out.data(), d_counts.data());
  });
  std::vector<unsigned> expected(32 * groups, untouched), reversed(expected), late(expected),
      late_and_shifted(expected), shifted(expected);
  std::vector<unsigned> counts(groups, 0), where_first_keeps(groups, 0);
  for (int i = 0; i < n; ++i)
    if (h_in[i] != 0)
      expected[i / 32 * 32 + counts[i / 32]++] = h_in[i];
  for (int group = 0; group < groups; ++group) {
    where_first_keeps[group] = h_in[32 * group] != 0 ? counts[group] : 0;
    const auto first = expected.begin() + 32 * group, last = first + counts[group];
    std::reverse_copy(first, last, reversed.begin() + 32 * group);
    std::copy(first, std::min(last, first + 31), late.begin() + 32 * group + 1);
    std::copy(first, std::min(last, first + 31), late_and_shifted.begin() + 32 * group + 1);
    if (32 * group + 31 < n && h_in[32 * group + 31] != 0) { // its lane counts nobody
      late_and_shifted[32 * group] = h_in[32 * group + 31];
      if (counts[group] < 32)
        late_and_shifted[32 * group + counts[group]] = untouched;
    }
    std::copy(first, last, shifted.begin() + 32 * group);
    if (where_first_keeps[group] != 0 && counts[group] < 32)
      std::swap(shifted[32 * group], shifted[32 * group + counts[group]]);
  }
  const auto got = d_out.download(), got_counts = d_counts.download();
  if (seen)
    checker::expect(
        !seen->find("absent_lanes"),
        "lanes_left_out",
        what + ": a vote names all 32 lanes, and some of them do not come to it. Vote where "
               "all lanes come");
  checker::diagnose("count_lost",
                    got_counts != counts && got_counts == where_first_keeps,
                    what +
                        ": the count is 0 where lane 0 keeps nothing. Lane 0 writes it: what does "
                        "it know of the others then?");
  checker::expect_same("counts of " + what, got_counts, counts);
  checker::diagnose("reversed",
                    got != expected && got == reversed,
                    what + ": the right numbers, in reversed order: the lanes on the right were "
                           "counted, not those on the left");
  checker::diagnose("one_too_far",
                    got != expected && (got == late || got == late_and_shifted),
                    what +
                        ": each number is one place too far on the right: a lane counts itself "
                        "among those before it" +
                        (got == late
                             ? ""
                             : ", and lane 31 counts nobody: its word is shifted by 32, for which "
                               "C++ defines no shift"));
  checker::diagnose(
      "shift_of_32",
      got != expected && got == shifted,
      what + ": right, but for lane 0, which has counted all lanes instead of none. Is a word "
             "shifted by 32 there? It has 32 bits, and so far C++ defines no shift: a GPU "
             "shifts all of them out, others none");
  checker::expect_same("numbers kept of " + what, got, expected);
  return seen;
}

// About a third of the numbers is 0, and the largest one is not.
std::vector<unsigned> numbers(int n) {
  auto values = checker::extreme_values<unsigned>(n);
  for (unsigned &value : values)
    value = value % 7 < 2 ? 0 : value;
  return values;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(numbers(n), checker::counted(n, "number"));
}

TEST_CASE("none kept, all kept") {
  check(std::vector<unsigned>(130, 0), "130 zeros");
  check(checker::random_values<unsigned>(15, 1, 9), "15 numbers of which none is 0");
}

TEST_CASE("one vote, and no atomics") {
  const auto seen = check(numbers(1024), "1024 numbers");
  if (!seen)
    return;
  checker::expect_at_least("meetings_per_warp",
                           checker::meetings_per_warp(*seen),
                           1.0,
                           "no_vote",
                           "the result is right here, but the lanes have not voted. __activemask() "
                           "in a branch tells which lanes happen to run together: nothing promises "
                           "that these are all that took the branch");
  checker::expect_at_most("meetings_per_warp",
                          checker::meetings_per_warp(*seen),
                          1.0,
                          "too_many_shuffles",
                          "one ballot tells each lane about all 32: the rest is counting bits");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_each_loaded_once(*seen, 1024);
  checker::expect_masks_named(*seen);
}
