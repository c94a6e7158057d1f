// Checks a_part_each.cu: the values, where they lie, who has computed them, and who is waited for.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

void scale_parts(const float *h_in,
                 int n,
                 float factor,
                 const int *devices,
                 const int *speed,
                 int ranks,
                 int *begin,
                 float **d_part);

namespace {

struct Parts {
  std::vector<float *> d_part;
  explicit Parts(int ranks) : d_part(ranks, nullptr) {}
  ~Parts() {
    for (float *part : d_part)
      cudaFree(part);
  }
};

int device_of(const void *pointer) {
  cudaPointerAttributes attributes = {};
  LAB_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

// Whether some kernel begins before one of another device has ended, where kernels take much longer than copies. Of
// several threads of the host, of which each waits for its own device, nobody knows.
bool may_work_at_the_same_time() {
  const emu::Timeline times = *checker::timeline(checker::plain_model(10'000));
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.lane.starts_with("host thread"))
      return true;
  for (const emu::TimelineBar &one : times.bars)
    for (const emu::TimelineBar &other : times.bars)
      if (one.kind == "kernel" && other.kind == "kernel" && one.device != other.device &&
          one.begin_us < other.end_us && other.begin_us < one.end_us)
        return true;
  return false;
}

const std::vector<int> of_three_ages = {
    4'800'000, 2'039'000, 900'000}; // MB/s: an H200, an A100, a V100

std::string text(const std::vector<int> &numbers) {
  std::string all;
  for (int number : numbers)
    all += (all.empty() ? "" : ", ") + std::to_string(number);
  return all;
}

void expect_parts(const std::string &what,
                  int n,
                  const std::vector<int> &begin,
                  const std::vector<int> &speed) {
  const int ranks = static_cast<int>(speed.size());
  const double sum = std::accumulate(speed.begin(), speed.end(), 0.0);
  const std::string are = what + ": parts begin and end at " + text(begin);
  bool equal = true;
  for (int rank = 0; rank <= ranks; ++rank)
    equal = equal && std::abs(begin[rank] - static_cast<double>(n) * rank / ranks) <= 1;
  const bool in_row =
      begin.front() == 0 && begin.back() == n && std::is_sorted(begin.begin(), begin.end());
  bool wraps = true; // as n times an int of 32 bits does
  unsigned so_far = 0;
  bool lengths_rounded = true; // each of them down, so that the rest is nobody's
  for (int rank = 0; rank < ranks; ++rank) {
    so_far += speed[rank];
    lengths_rounded = lengths_rounded &&
                      begin[rank + 1] - begin[rank] == static_cast<int>(n * (speed[rank] / sum));
    wraps = wraps && begin[rank + 1] == static_cast<int>(static_cast<unsigned>(n) * so_far) /
                                            static_cast<int>(sum);
  }
  checker::expect(in_row || !wraps,
                  "in_32_bits",
                  are + ". The formula is right, but " + std::to_string(n) +
                      " times a speed is more than an int can hold: count in 64 bits");
  checker::expect(in_row,
                  "no_row",
                  are + ". They are to go from 0 to " + std::to_string(n) +
                      ", one behind the other: every number is in one part" +
                      (lengths_rounded ? ". Each part's length is rounded down, and what that "
                                         "leaves over is in no part. Round where parts begin, by "
                                         "the speeds of all ranks before"
                                       : ""));
  for (int rank = 0; rank < ranks; ++rank) {
    const double share = n * (speed[rank] / sum);
    const int part = begin[rank + 1] - begin[rank];
    checker::expect(
        std::abs(part - share) < ranks,
        equal ? "equal_parts" : "out_of_proportion",
        are +
            (equal ? ". They are equal, and the fastest waits for the slowest: rank " : ". Rank ") +
            std::to_string(rank) + " moves " + std::to_string(speed[rank]) + " of " +
            std::to_string(static_cast<long long>(sum)) + " MB/s, which makes " +
            std::to_string(static_cast<int>(share + 0.5)) + " numbers, and it has " +
            std::to_string(part));
  }
}

std::vector<int> check(int n, const std::vector<int> &devices, const std::vector<int> &speed) {
  const int ranks = static_cast<int>(devices.size());
  const float factor = 2.5f;
  const auto h_in = checker::extreme_values<float>(n);
  Parts parts(ranks);
  std::vector<int> begin(ranks + 1, -1);
  const std::string what =
      checker::elements(n, "number") +
      (ranks == 1 ? " for one device" : " for " + checker::counted(ranks, "device"));
  int before = 0, after = 0;
  LAB_CHECK(cudaGetDevice(&before));
  lab::PinnedBuffer<float> told(h_in.size()); // what the parts hold once the call has returned
  const checker::RankStreams look(devices);
  checker::perhaps("The function has returned, and what it has launched may still be running. "
                   "cudaStreamDestroy() waits for nothing, and cudaDeviceSynchronize() "
                   "waits for the device that is current, and for no other: "
                   "one call for each device, with that device current (chapter 12)",
                   "stream_race");
  checker::perhaps(
      "cudaMalloc() and cudaMemcpy() count bytes, sizeof(float) for each number of a part",
      "out_of_bounds");
  checker::perhaps("A part's memory lies on the device that is current when cudaMalloc() is "
                   "called, and its kernel runs on the one that is current at the launch: here "
                   "these are two",
                   "peer_pointer");
  const auto seen = checker::observe(what, [&] {
    scale_parts(checker::goes_in(h_in).data(),
                n,
                factor,
                devices.data(),
                speed.data(),
                ranks,
                begin.data(),
                parts.d_part.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaGetDevice(&after));
    expect_parts(what, n, begin, speed);
    for (int rank = 0; rank < ranks; ++rank) {
      const int part = begin[rank + 1] - begin[rank];
      if (part == 0)
        continue;
      const checker::OnDevice current(devices[rank]);
      checker::expect(parts.d_part[rank] != nullptr,
                      "no_memory",
                      what + ": d_part[" + std::to_string(rank) + "] is still null");
      LAB_CHECK(cudaMemcpyAsync(told.data() + begin[rank],
                                parts.d_part[rank],
                                part * sizeof(float),
                                cudaMemcpyDeviceToHost,
                                look.streams[rank]));
    }
    checker::wait_for(devices);
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> part(h_in.begin() + begin[rank], h_in.begin() + begin[rank + 1]);
    std::vector<float> expected(part);
    for (float &value : expected)
      value *= factor;
    const std::vector<float> got(told.data() + begin[rank], told.data() + begin[rank + 1]);
    std::vector<float> first(h_in.begin(), h_in.begin() + static_cast<long>(part.size()));
    for (float &value : first)
      value *= factor;
    checker::diagnose("first_part_again",
                      begin[rank] > 0 && !part.empty() && lab::compare(got, first).ok,
                      what + ": rank " + std::to_string(rank) +
                          " has the first numbers, which are rank 0's");
    checker::diagnose("not_scaled",
                      !part.empty() && got == part,
                      what + ": rank " + std::to_string(rank) +
                          " has its part, and nobody has scaled it: has its kernel been launched?");
    checker::expect_same("part of rank " + std::to_string(rank) + ", " + what, got, expected);
  }
  std::vector<int> filled; // ranks whose part is not empty
  for (int rank = 0; rank < ranks; ++rank)
    if (begin[rank] < begin[rank + 1])
      filled.push_back(rank);
  if (seen)
    checker::expect_launches(what, *seen, filled.size());
  bool on_one = filled.size() > 1;
  for (int rank : filled)
    on_one = on_one && device_of(parts.d_part[rank]) == device_of(parts.d_part[filled[0]]);
  for (int rank : filled) {
    const int device = device_of(parts.d_part[rank]);
    const std::string whose = "rank " + std::to_string(rank);
    checker::expect(device == devices[rank],
                    on_one ? "all_on_one" : "other_device",
                    what + ": all values are right, but " +
                        (on_one ? "every part" : "the part of " + whose) + " lies on device " +
                        std::to_string(device) + (on_one ? ". That of " + whose : ", and") +
                        " belongs on devices[" + std::to_string(rank) + "], which is device " +
                        std::to_string(devices[rank]));
  }
  checker::expect(!seen || filled.size() == 1 || may_work_at_the_same_time(),
                  "one_after_the_other",
                  what + ": all is right, but no two devices work at the same time: the host waits "
                         "for each of them before it asks the next one for anything. Ask all of "
                         "them first, and wait at the end");
  LAB_CHECK(cudaSetDevice(after));
  checker::expect_current(before);
  if (seen)
    checker::record("kib_to_the_fastest",
                    static_cast<double>(seen->total_link(-1, devices[0]).copied) / 1024.0);
  return begin;
}

} // namespace

// 4096 times these speeds is so little in 32 bits that parts have few numbers, which does no harm.
TEST_CASE("one of nearly three times the speed") {
  check(4096, checker::devices_of(2), {(1 << 20) + 40960, 3 << 20});
}

TEST_CASE("devices of three ages") { check(4097, checker::devices_of(3), of_three_ages); }

TEST_CASE("one") { check(33, checker::devices_of(1), {900'000}); }

TEST_CASE("two, and any number") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, checker::devices_of(2), {3'350'000, 1'008'000});
}

TEST_CASE("one so slow that it gets nothing") {
  check(1000, checker::devices_of(3), {1'000'000, 1, 1'000'000});
}

TEST_CASE("in another order") {
  const auto devices = checker::devices_of(3);
  check(1000, {devices[2], devices[0], devices[1]}, {1'000'000, 3'000'000, 2'000'000});
}

TEST_CASE("whichever device is current") {
  const auto devices = checker::devices_of(3);
  const checker::OnDevice current(devices[1]);
  check(1025, devices, {1'000'000, 1'000'000, 1'000'000});
}

TEST_CASE("done at the same time") {
  const std::vector<int> &speed = of_three_ages;
  const auto begin = check(7739, checker::devices_of(3), speed);
  const auto bars = [&](const std::vector<int> &parts) {
    std::vector<std::size_t> busy; // 2.5 characters for a ns, 8 bytes for a number, in and out
    for (int rank = 0; rank < 3; ++rank)
      busy.push_back(std::lround(2.5 * 8.0 * (parts[rank + 1] - parts[rank]) * 1e3 / speed[rank]));
    const std::size_t last = *std::max_element(busy.begin(), busy.end());
    std::string all;
    for (int rank = 0; rank < 3; ++rank)
      all += std::string(speed[rank] < 1'000'000 ? "\n " : "\n") +
             std::to_string(speed[rank] / 1000) + " GB/s " + std::string(busy[rank], '#') +
             std::string(last - busy[rank], '.') + "| " +
             std::to_string(parts[rank + 1] - parts[rank]);
    return all;
  };
  checker::note("7739 numbers: each device's memory is busy (#), then it waits (.) until all are "
                "home (|). Equal parts:" +
                bars({0, 7739 / 3, 7739 * 2 / 3, 7739}) + "\nYours:" + bars(begin));
}
