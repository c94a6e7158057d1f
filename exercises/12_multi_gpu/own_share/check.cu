// Checks own_share.cu: the sums, whose device makes them, and how many bytes come over the links.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>

struct Everyone {
  const float *in[8];
  int ranks;
};

void sum_shares(const Everyone &e,
                size_t n,
                const int *devices,
                const cudaStream_t *streams,
                float *const *share);

namespace {

void check(size_t n, int ranks) {
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
  std::vector<size_t> first;
  for (int rank = 0; rank <= ranks; ++rank)
    first.push_back(n * rank / ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    h_in.push_back(checker::extreme_values<float>(n));
    for (size_t i = 0; i < n; ++i)
      sum[i] += h_in.back()[i];
    d_in.push_back(checker::on_device(devices[rank], h_in.back()));
    e.in[rank] = d_in.back().data();
    d_share.push_back(checker::poisoned_on<float>(devices[rank], first[rank + 1] - first[rank]));
    share.push_back(d_share.back().data());
  }
  const std::string what =
      checker::elements(n, "number") +
      (ranks == 1 ? " on one device" : " on each of " + checker::counted(ranks, "device"));
  checker::perhaps(
      "A share begins at its own element 0, which is the sum of element `first` of the "
      "vectors, and has last - first elements: two indices, `first` apart, and the "
      "test is for the share's",
      "out_of_bounds");
  const checker::OnDevice back_again(devices[0]);
  const auto seen = checker::observe(what, [&] {
    sum_shares(e, n, devices.data(), own.streams.data(), share.data());
    LAB_CHECK_LAUNCH();
    checker::wait_for(devices);
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> expected(sum.begin() + first[rank], sum.begin() + first[rank + 1]);
    const auto got = d_share[rank].download();
    size_t missing = 0;
    while (missing < got.size() && std::isnan(got[got.size() - 1 - missing]))
      ++missing;
    const std::string whose = "share of rank " + std::to_string(rank) + ", " + what;
    checker::diagnose("tail_missing",
                      missing > 0 && missing < got.size(),
                      whose + ": nobody has written the last " + std::to_string(missing) + " of " +
                          std::to_string(got.size()) +
                          " elements. Shares are not all of one length");
    checker::diagnose("first_elements",
                      rank > 0 && got == std::vector<float>(sum.begin(), sum.begin() + got.size()),
                      whose +
                          ": these are the sums of the first elements of the vectors. This rank's "
                          "share begins at "
                          "element " +
                          std::to_string(first[rank]));
    checker::diagnose("nothing_written", missing > 0, whose + ": nobody has written any element");
    checker::expect_same(whose, got, expected);
    checker::expect_same("vector of rank " + std::to_string(rank) + ", which stays as it was",
                         d_in[rank].download(),
                         h_in[rank]);
  }
  if (!seen)
    return;
  const auto empty = std::count_if(
      d_share.begin(), d_share.end(), [](const auto &own_share) { return own_share.size() == 0; });
  checker::expect_launches(what, *seen, d_share.size() - static_cast<size_t>(empty));
  double most = 0, stored = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    double arrived = 0;
    for (int other = 0; other < ranks; ++other)
      if (devices[other] != devices[rank]) {
        const emu::LinkCounts link = seen->total_link(devices[other], devices[rank]);
        arrived += static_cast<double>(link.loaded + link.copied);
        stored += static_cast<double>(link.stored);
      }
    most = std::max(most, arrived);
  }
  checker::expect(stored == 0,
                  "others_work",
                  what +
                      ": all is right, but devices store into shares of others. Each is to add up "
                      "its own, at home");
  const double longest = std::ceil(static_cast<double>(n) / ranks);
  checker::expect_at_most("kib_over_link",
                          most / 1024.0,
                          longest * 4.0 * (ranks - 1) / 1024.0,
                          "whole_vectors",
                          what +
                              ": the sums are right, but a device gets more than it needs: of each "
                              "other vector as much as its share is long");
  double threads = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    threads += static_cast<double>(kernel.blocks()) * kernel.block[0];
  checker::expect_at_most("threads_launched",
                          threads,
                          static_cast<double>(n + 256 * d_share.size()),
                          "idle_threads",
                          what + ": all is right, but most threads have nothing to do: each device "
                                 "launches one for each number of the whole vector, not of its "
                                 "share. There may be a block more on each device than it takes");
}

} // namespace

TEST_CASE("shares of one length") { check(3072, 3); }

TEST_CASE("shares that differ") {
  check(770, 3); // 256, 257 and 257
  for (int n : checker::sizes())
    check(n, 3);
}

TEST_CASE("two devices") {
  for (size_t n : {1, 2, 1025, 4099})
    check(n, 2);
}

TEST_CASE("a device alone") { check(1000, 1); }

TEST_CASE("6144 numbers on each") { check(6144, 3); }
