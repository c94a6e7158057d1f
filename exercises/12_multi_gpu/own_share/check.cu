// Checks own_share.cu: the sums, whose device makes them, and how many bytes come over the links.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

struct Everyone {
  const float *in[8];
  int ranks;
  size_t first[8], last[8];
};

size_t share_begins(const Everyone &e, size_t n, int rank);
void sum_shares(const Everyone &e,
                size_t n,
                const int *devices,
                const cudaStream_t *streams,
                float *const *share);

namespace {

using Strip = std::pair<size_t, size_t>; // [first, last)

// Of two numbers one: what stays when the second one overwrites the first.
std::vector<float> one_of_two(const std::vector<Strip> &strips,
                              const std::vector<std::vector<float>> &h_in,
                              bool first_one) {
  std::vector<float> row(strips.back().second);
  for (size_t k = 0; k < strips.size(); ++k) {
    const size_t r = first_one ? strips.size() - 1 - k : k;
    std::copy(h_in[r].begin(), h_in[r].end(), row.begin() + static_cast<long>(strips[r].first));
  }
  return row;
}

// Where the shares begin, and where the last one ends: they are to be one row.
std::vector<size_t> shares_of(const Everyone &e, size_t n, const std::string &what) {
  std::vector<size_t> begins;
  for (int rank = 0; rank <= e.ranks; ++rank)
    begins.push_back(share_begins(e, n, rank));
  checker::expect(begins.front() == 0 && begins.back() == n && std::ranges::is_sorted(begins),
                  "no_row",
                  what + ": the shares begin and end at " + checker::listed(begins) +
                      ". They are to go from 0 to n, one behind the other: rank 0 begins at 0, and "
                      "the rank after the last one, which there is not, at n");
  return begins;
}

// Why more crosses the links than must, as far as the shares say.
std::string fetched_by_shares(const std::vector<size_t> &begins, const std::vector<Strip> &strips) {
  for (size_t rank = 0; rank < strips.size(); ++rank) {
    const size_t begin = begins[rank], end = begins[rank + 1];
    const size_t first = strips[rank].first,
                 last = strips[rank].second; // clang 14 captures no bindings
    const std::string number = std::to_string(rank);
    const auto fetches = [&](size_t from, size_t to) {
      return "Share " + number + " is [" + std::to_string(begin) + ", " + std::to_string(end) +
             "), and strip " + number + " is [" + std::to_string(first) + ", " +
             std::to_string(last) + "): of [" + std::to_string(from) + ", " + std::to_string(to) +
             ") device " + number + " has nothing, and fetches it";
    };
    if (begin < end && begin < first)
      return fetches(begin, std::min(first, end));
    if (begin < end && end > last)
      return fetches(std::max(last, begin), end);
  }
  return "More crosses the links than must: only a number that two strips have needs to, and only "
         "one of the two";
}

/// What comes of leaving out the first number of each strip, or of taking a number's place in the share for that in
/// the strip.
void explain_share(const std::string &whose,
                   const std::vector<float> &got,
                   const std::vector<Strip> &strips,
                   const std::vector<std::vector<float>> &h_in,
                   size_t begin) {
  std::vector<float> without_first(got.size(), 0.0f), by_share(got.size(), 0.0f);
  for (size_t place = 0; place < got.size(); ++place)
    for (size_t r = 0; r < strips.size(); ++r) {
      const size_t i = begin + place, first = strips[r].first;
      if (first > i || i >= strips[r].second)
        continue;
      without_first[place] += first < i ? h_in[r][i - first] : 0;
      by_share[place] += place < h_in[r].size() ? h_in[r][place] : NAN;
    }
  checker::diagnose(
      "first_left_out",
      got == without_first,
      whose + ": the first number of each strip is left out. A strip has number first[r], too");
  checker::diagnose("place_in_the_share",
                    got == by_share,
                    whose +
                        ": the number of a strip is taken at its place in the share. In strip r "
                        "number i of the row stands at i - first[r]");
}

/// What crosses the link of each two neighbours, and what would with equal shares.
std::string links_of(const emu::Observation &seen,
                     const std::vector<int> &devices,
                     const std::vector<Strip> &strips) {
  const size_t n = strips.back().second, ranks = strips.size();
  const auto fetched = [&](size_t rank, size_t other) { // numbers, with equal shares
    const size_t begin = std::max(n * rank / ranks, strips[other].first),
                 end = std::min(n * (rank + 1) / ranks, strips[other].second);
    return begin < end ? end - begin : 0;
  };
  std::string text;
  for (size_t rank = 0; rank + 1 < ranks; ++rank) {
    const auto yours = seen.total_link(devices[rank], devices[rank + 1]).bytes() +
                       seen.total_link(devices[rank + 1], devices[rank]).bytes();
    const size_t equal = 4 * (fetched(rank, rank + 1) + fetched(rank + 1, rank));
    text += "\n  " + std::to_string(rank) + " - " + std::to_string(rank + 1) + "   your cut      " +
            std::string(yours / 256, '#') + "\n          equal shares  " +
            std::string(equal / 256, '#');
  }
  return text;
}

void check(const std::vector<Strip> &strips) {
  const int ranks = static_cast<int>(strips.size());
  const size_t n = strips.back().second;
  std::vector<int> devices = checker::devices_of(ranks);
  if (!checker::let_reach_each_other(devices)) // then the values are checked on one of them
    devices.assign(devices.size(), devices[0]);
  const checker::RankStreams own(devices);
  checker::name_streams(own.streams, "streams[#]");
  Everyone e = {};
  e.ranks = ranks;
  std::vector<float> sum(n, 0.0f);
  std::vector<std::vector<float>> h_in;
  std::vector<lab::DeviceBuffer<float>> d_in, d_share;
  std::vector<float *> share;
  size_t twice = 0; // numbers that two strips have
  std::string what = checker::elements(n, "number") + ", in strips";
  for (int rank = 0; rank < ranks; ++rank) {
    const auto [first, last] = strips[rank];
    h_in.push_back(checker::extreme_values<float>(last - first));
    for (size_t i = first; i < last; ++i)
      sum[i] += h_in.back()[i - first];
    d_in.push_back(checker::on_device(devices[rank], h_in.back()));
    e.in[rank] = d_in.back().data();
    e.first[rank] = first;
    e.last[rank] = last;
    twice += rank > 0 ? strips[rank - 1].second - first : 0;
    what += (rank == 0 ? " [" : ", [") + std::to_string(first) + ", " + std::to_string(last) + ")";
  }
  const std::vector<size_t> begins = shares_of(e, n, what);
  for (int rank = 0; rank < ranks; ++rank) {
    d_share.push_back(checker::poisoned_on<float>(devices[rank], begins[rank + 1] - begins[rank]));
    share.push_back(d_share.back().data());
  }
  checker::perhaps(
      "Strip r has the numbers [first[r], last[r]) of the row, and number i stands in it "
      "at i - first[r]. A strip has number i only where both hold: i >= first[r], and i < last[r]",
      "out_of_bounds");
  const checker::OnDevice back_again(devices[0]);
  const auto seen = checker::observe(what, [&] {
    sum_shares(e, n, devices.data(), own.streams.data(), share.data());
    LAB_CHECK_LAUNCH();
    checker::wait_for(devices);
  });
  const auto part_of = [&](const std::vector<float> &row, int rank) {
    return std::vector<float>(row.begin() + static_cast<long>(begins[rank]),
                              row.begin() + static_cast<long>(begins[rank + 1]));
  };
  size_t filled = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> expected = part_of(sum, rank), got = d_share[rank].download();
    filled += !got.empty();
    const std::string whose = "share of rank " + std::to_string(rank) + ", " + what;
    checker::diagnose("nothing_written",
                      !got.empty() &&
                          std::ranges::all_of(got, [](float x) { return std::isnan(x); }),
                      whose + ": nobody has written any element");
    checker::diagnose("one_of_two",
                      got != expected && (got == part_of(one_of_two(strips, h_in, true), rank) ||
                                          got == part_of(one_of_two(strips, h_in, false), rank)),
                      whose + ": where two strips have a number, one of the two is missing");
    if (got != expected)
      explain_share(whose, got, strips, h_in, begins[rank]);
    checker::expect_same(whose, got, expected);
    checker::expect_same("strip of rank " + std::to_string(rank) + ", which stays as it was",
                         d_in[rank].download(),
                         h_in[rank]);
  }
  if (!seen)
    return;
  checker::expect_launches(what, *seen, filled);
  if (n >= 2000)
    checker::expect_lanes(
        *seen, emu::Access::global_store, 24.0, what + ": the sums are right", 0.05);
  double arrived = 0, stored = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (int other = 0; other < ranks; ++other)
      if (devices[other] != devices[rank]) {
        const emu::LinkCounts link = seen->total_link(devices[other], devices[rank]);
        arrived += static_cast<double>(link.loaded + link.copied);
        stored += static_cast<double>(link.stored);
      }
  checker::expect(stored == 0,
                  "others_work",
                  what +
                      ": all is right, but devices store into shares of others. Each is to add up "
                      "its own, at home");
  checker::expect_at_most(
      "kib_over_links",
      arrived / 1024.0,
      static_cast<double>(twice) * 4.0 / 1024.0,
      "fetches_too_much",
      what + ": the sums are right, and shares begin at " +
          checker::listed(std::vector<size_t>(begins.begin(), begins.end() - 1)) + ". " +
          fetched_by_shares(begins, strips));
  double threads = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    threads += static_cast<double>(kernel.blocks()) * kernel.block[0];
  checker::expect_at_most("threads_launched",
                          threads,
                          static_cast<double>(n + 256 * d_share.size()),
                          "idle_threads",
                          what + ": all is right, but most threads have nothing to do: each device "
                                 "needs one for each number of its share");
  if (n == 5120)
    checker::note("KiB over each link, a # for a quarter, both ways together:" +
                  links_of(*seen, devices, strips));
}

} // namespace

TEST_CASE("three strips, of which one is long") { check({{0, 512}, {384, 2048}, {1920, 2560}}); }

TEST_CASE("strips that only touch each other") { check({{0, 700}, {700, 701}, {701, 1900}}); }

TEST_CASE("every size") {
  for (size_t n : checker::sizes())
    check({{0, n / 2}, {n / 3, n - n / 4}, {n - n / 3, n}});
}

TEST_CASE("two devices") {
  for (size_t n : {1, 2, 1025, 4099})
    check({{0, n - n / 5}, {n / 2, n}});
}

TEST_CASE("a device alone") { check({{0, 1000}}); }

TEST_CASE("four devices, 5120 numbers") {
  check({{0, 1024}, {768, 3072}, {2560, 4608}, {4352, 5120}});
}

// In strips of a panorama each fades out where the next one fades in, so that both together are the whole.
TEST_CASE("a panorama") {
  checker::unless_failed_before();
  constexpr size_t n = 74;
  constexpr int ranks = 4, top = 12;
  const std::vector<Strip> strips = {{0, 26}, {16, 44}, {36, 62}, {54, n}};
  std::vector<int> devices = checker::devices_of(ranks);
  if (!checker::let_reach_each_other(devices))
    devices.assign(devices.size(), devices[0]);
  const checker::RankStreams own(devices);
  const checker::OnDevice back_again(devices[0]);
  Everyone e = {};
  e.ranks = ranks;
  std::vector<lab::DeviceBuffer<float>> d_in, d_share;
  std::vector<float *> share;
  for (int rank = 0; rank < ranks; ++rank) {
    std::tie(e.first[rank], e.last[rank]) = strips[rank];
    std::vector<float> strip;
    for (size_t i = e.first[rank]; i < e.last[rank]; ++i) {
      const auto x = static_cast<float>(i);
      float height = 1.0f;
      for (const auto &[at, peak, slope] : {std::tuple(11.0f, 9.0f, 0.9f),
                                            std::tuple(24.0f, 6.0f, 0.8f),
                                            std::tuple(40.0f, 12.0f, 1.0f),
                                            std::tuple(52.0f, 7.0f, 0.7f),
                                            std::tuple(64.0f, 10.0f, 0.8f)})
        height = std::max(height, peak - slope * std::abs(x - at));
      float weight = 1.0f;
      if (rank > 0 && i < strips[rank - 1].second)
        weight = (x - static_cast<float>(e.first[rank]) + 0.5f) /
                 static_cast<float>(strips[rank - 1].second - e.first[rank]);
      if (rank + 1 < ranks && i >= strips[rank + 1].first)
        weight = (static_cast<float>(e.last[rank]) - x - 0.5f) /
                 static_cast<float>(e.last[rank] - strips[rank + 1].first);
      strip.push_back(weight * height);
    }
    d_in.push_back(checker::on_device(devices[rank], strip));
    e.in[rank] = d_in.back().data();
  }
  const std::vector<size_t> begins = shares_of(e, n, "a panorama");
  for (int rank = 0; rank < ranks; ++rank) {
    d_share.push_back(checker::poisoned_on<float>(devices[rank], begins[rank + 1] - begins[rank]));
    share.push_back(d_share.back().data());
  }
  checker::unobserved([&] {
    sum_shares(e, n, devices.data(), own.streams.data(), share.data());
    LAB_CHECK_LAUNCH();
    checker::wait_for(devices);
  });
  std::vector<float> row;
  std::string makers, text;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto got = d_share[rank].download();
    row.insert(row.end(), got.begin(), got.end());
    makers += std::string(got.size(), static_cast<char>('0' + rank));
  }
  for (int height = top; height > 0; --height) {
    std::string line;
    for (const float value : row)
      line += value > static_cast<float>(height) - 0.5f ? '#' : ' ';
    text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
  }
  text += "\n" + makers;
  for (const auto &[first, last] : strips)
    text += "\n" + std::string(first, ' ') + std::string(last - first, '-');
  checker::note(
      "Four strips of a panorama, each fading out where the next one fades in, as your "
      "devices have put them together. Below it who has made which part, and the strips:" +
      text);
}
