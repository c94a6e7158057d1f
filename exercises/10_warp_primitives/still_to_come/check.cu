// Checks still_to_come.cu: the largest number of each window, in four shuffles.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void still_to_come(const unsigned *in, int n, unsigned *out);

namespace {

constexpr int window = 12;

// The largest of each number and those at these distances, as far as lanes go.
template <class Distances>
std::vector<unsigned> largest(const std::vector<unsigned> &in, const Distances &distances) {
  std::vector<unsigned> out(in);
  const int n = static_cast<int>(in.size());
  for (int i = 0; i < n; ++i)
    for (int distance : distances) {
      const int lane = i % 32 + distance;
      if (lane >= 0 && lane < 32 && i + distance < n)
        out[i] = std::max(out[i], in[i + distance]);
    }
  return out;
}

std::vector<int> distances(int first, int last) {
  std::vector<int> all;
  for (int distance = first; distance <= last; ++distance)
    all.push_back(distance);
  return all;
}

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "number");
  auto seen = checker::launch(what, [&] {
    still_to_come<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  const std::vector<unsigned> expected = largest(h_in, distances(1, window - 1));
  const auto looks_like = [&](const std::vector<int> &those) {
    return got != expected && got == largest(h_in, those);
  };
  std::vector<unsigned> sums_up(h_in), sums_down(h_in);
  for (int i = 0; i < n; ++i)
    sums_up[i] += i % 32 > 0 ? sums_up[i - 1] : 0;
  for (int i = n - 2; i >= 0; --i)
    sums_down[i] += i % 32 < 31 ? sums_down[i + 1] : 0;
  // Rounds of 1, 2, 4 … lanes, in which a lane without another one so far up gets its own.
  const auto by_rounds = [&](int end, auto round) {
    if (got == expected)
      return false;
    std::vector<unsigned> values(h_in);
    values.resize((n + 31) / 32 * 32, 0);
    for (int offset = 1; offset < end; offset *= 2) {
      const std::vector<unsigned> before = values;
      const int up = end == window && offset == 8 ? 4 : offset; // 4 more numbers
      for (int i = 0; i < static_cast<int>(values.size()); ++i)
        values[i] = round(before, i, up);
    }
    values.resize(n);
    return got == values;
  };
  const auto taken = [](const std::vector<unsigned> &from, int i, int up) {
    return from[i % 32 + up < 32 ? i + up : i];
  };
  bool are_sums = got == sums_up || got == sums_down, crosswise = false, end_alone = false,
       round_the_end = false;
  for (int end : {window, 16, 32}) {
    are_sums |=
        by_rounds(end, [&](const auto &v, int i, int up) { return v[i] + taken(v, i, up); });
    crosswise |= by_rounds(end, [](const auto &v, int i, int up) {
      return std::max(v[i], v[i - i % 32 + (i % 32 ^ up)]);
    });
    round_the_end |= by_rounds(end, [](const auto &v, int i, int up) {
      return std::max(v[i], v[i - i % 32 + (i % 32 + up) % 32]);
    });
    end_alone |= by_rounds(end, [&](const auto &v, int i, int up) {
      return i % 32 > 32 - window ? v[i] : std::max(v[i], taken(v, i, up));
    });
  }
  checker::diagnose(
      "crosswise",
      crosswise,
      what + ": who asks lane ^ offset asks some lanes on its left. The numbers that are "
             "still to come are on the right");
  checker::diagnose("round_the_end",
                    round_the_end,
                    what + ": the last lanes have heard of the first ones. __shfl_sync() of "
                           "lane + offset goes round the end of the warp, and nothing of what is "
                           "over stands there");
  checker::diagnose("end_of_the_warp",
                    end_alone,
                    what +
                        ": the last 11 lanes of a warp have their own number alone. Their windows "
                        "are shorter, and still have what follows up to lane 31");
  checker::diagnose("sums",
                    got != expected && are_sums,
                    what + ": these are sums. Asked for is the largest of 12 numbers");
  for (int length = 32; length > 1; --length) {
    checker::diagnose("from_the_left",
                      looks_like(distances(1 - length, -1)),
                      what +
                          ": these are the largest of the numbers that came before, not of those "
                          "that are still to come");
    checker::diagnose(length < window ? "window_too_short" : "window_too_long",
                      length != window && looks_like(distances(1, length - 1)),
                      what + ": each window has " + std::to_string(length) + " numbers, not 12" +
                          (length == 16
                               ? ": it has doubled once too often. Two windows of 8 need not "
                                 "lie side by side"
                               : ""));
  }
  checker::diagnose("values_not_windows",
                    looks_like({1, 2, 4}) || looks_like({1, 2, 4, 8}),
                    what + ": each shuffle brought one number; it should bring the largest of the "
                           "other lane's window");
  checker::expect_same("the largest numbers of " + what, got, expected);
  if (seen)
    checker::expect_at_most(
        "meetings_per_warp",
        checker::meetings_per_warp(*seen),
        4.0,
        "too_many_shuffles",
        what + ": windows double: 2, 4, 8 numbers. Then one shuffle is left for 4 more");
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("four shuffles, and no memory between the lanes") {
  int shuffles = 0;
  for (int days = 1; days < 24; days *= 2)
    ++shuffles;
  checker::record("shuffles_for_24_days", shuffles);
  const auto seen = check(1024);
  if (!seen)
    return;
  const auto requests = [&](emu::Access access) {
    return static_cast<double>(checker::total(*seen, access).requests);
  };
  checker::expect_each_loaded_once(*seen, 1024);
  checker::expect_at_most("shared_store.requests_per_warp",
                          requests(emu::Access::shared_store) / 32.0,
                          0.0,
                          "through_shared",
                          "lanes can read each other's registers: no shared memory is needed");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}

TEST_CASE("mountains") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int n = 64, top = 10;
    std::vector<unsigned> h_in = checker::random_values<unsigned>(n, 1, 3);
    for (const auto &[at, height] : {std::pair(9, 6),
                                     std::pair(25, 10),
                                     std::pair(30, 5),
                                     std::pair(36, 8),
                                     std::pair(43, 5),
                                     std::pair(58, 9)})
      h_in[at] = height;
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(n);
    still_to_come<<<1, 128>>>(d_in.data(), n, d_out.data());
    const auto out = d_out.download();
    std::string text =
        "64 days of climbing, day by day from left to right: # is how high it goes that day, the "
        "dots above are how high it will still go within 12 days, by your kernel. A warp does not "
        "see beyond its 32nd day:";
    for (unsigned height = top; height > 0; --height) {
      text += '\n';
      for (int i = 0; i < n; ++i)
        text += h_in[i] >= height ? '#' : out[i] >= height ? '.' : ' ';
      text.erase(text.find_last_not_of(' ') + 1);
    }
    checker::note(text);
  });
}
