// Checks a_part_each.cu: when the last one is home, the values, where they lie, who has computed them, and who is waited for.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

struct Member {
  int device, wake, speed;
};

void share_out(int n, const Member *crew, int ranks, int *begin);
void scale_parts(const float *h_in,
                 int n,
                 float factor,
                 const Member *crew,
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

double done(const Member &one, int numbers) {
  return numbers == 0 ? 0.0 : one.wake + static_cast<double>(numbers) / one.speed;
}

double all_done(const std::vector<int> &begin, const std::vector<Member> &crew) {
  double last = 0;
  for (std::size_t rank = 0; rank < crew.size(); ++rank)
    last = std::max(last, done(crew[rank], begin[rank + 1] - begin[rank]));
  return last;
}

/// Each number goes to whom is done with it first.
std::vector<int> best_parts(int n, const std::vector<Member> &crew) {
  std::vector<int> part(crew.size(), 0), begin(1, 0);
  for (int k = 0; k < n; ++k) {
    std::size_t first = 0;
    for (std::size_t rank = 1; rank < crew.size(); ++rank)
      if (done(crew[rank], part[rank] + 1) < done(crew[first], part[first] + 1))
        first = rank;
    ++part[first];
  }
  for (const int numbers : part)
    begin.push_back(begin.back() + numbers);
  return begin;
}

std::vector<int> equal_parts(int n, int ranks) {
  std::vector<int> begin;
  for (int rank = 0; rank <= ranks; ++rank)
    begin.push_back(n * rank / ranks);
  return begin;
}

std::vector<int> parts_by_speed(int n, const std::vector<Member> &crew) {
  int all = 0, sum = 0;
  for (const Member &one : crew)
    all += one.speed;
  std::vector<int> begin(1, 0);
  for (const Member &one : crew)
    begin.push_back(n * (sum += one.speed) / all);
  return begin;
}

/// By the time in which all of them would be done, with nothing for who would get less.
std::vector<int> parts_of_all(int n, const std::vector<Member> &crew) {
  double speeds = 0, work = n;
  for (const Member &one : crew) {
    speeds += one.speed;
    work += static_cast<double>(one.wake) * one.speed;
  }
  std::vector<int> begin(1, 0);
  for (const Member &one : crew)
    begin.push_back(static_cast<int>(
        std::min(1.0 * n, begin.back() + std::max(0.0, (work / speeds - one.wake) * one.speed))));
  begin.back() = n;
  return begin;
}

std::string us(double time) { return std::to_string(std::lround(time)) + " us"; }

void expect_parts(const std::string &what,
                  int n,
                  const std::vector<int> &begin,
                  const std::vector<Member> &crew) {
  const int ranks = static_cast<int>(crew.size());
  const auto close_to = [&](const std::vector<int> &other) {
    for (int rank = 0; rank <= ranks; ++rank)
      if (std::abs(begin[rank] - other[rank]) > 1)
        return false;
    return true;
  };
  const std::string are = what + ": parts begin and end at " + checker::listed(begin);
  const bool sorted = std::is_sorted(begin.begin(), begin.end());
  checker::expect(begin.front() == 0 && begin.back() == n && sorted,
                  "no_row",
                  are + ". They are to go from 0 to " + std::to_string(n) +
                      ", one behind the other: every number is in one part" +
                      (!sorted ? ". Some part has fewer than no numbers: who wakes that late gets "
                                 "none, and the others share them"
                       : begin.back() < n && begin.back() > n - ranks
                           ? ". What rounding has left over is in no part"
                           : ""));
  const double best = all_done(best_parts(n, crew), crew), got = all_done(begin, crew);
  double number = 0; // that the slowest has more
  int last = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    number = std::max(number, 1.000001 / crew[rank].speed);
    if (done(crew[rank], begin[rank + 1] - begin[rank]) == got)
      last = rank;
  }
  const std::string late =
      ". Rank " + std::to_string(last) + ", which wakes in " + us(crew[last].wake) + " and does " +
      checker::counted(crew[last].speed, "number") + " a us, is the last one, after " + us(got);
  checker::expect(
      got <= best + number,
      close_to(equal_parts(n, ranks))     ? "equal_parts"
      : close_to(parts_by_speed(n, crew)) ? "by_speed"
                                          : "late",
      are + late +
          (close_to(equal_parts(n, ranks))     ? ": these parts are equal"
           : close_to(parts_by_speed(n, crew)) ? ": these parts go by speed alone"
           : close_to(parts_of_all(n, crew))
               ? ". Who sleeps on is still in the sums from which the time of the others was "
                 "reckoned: reckon it anew without him"
               : "") +
          ". All could be home after " + us(best));
}

void expect_scaled(const std::string &what,
                   const std::vector<float> &h_in,
                   const std::vector<int> &begin,
                   const float *told,
                   float factor) {
  for (int rank = 0; rank + 1 < static_cast<int>(begin.size()); ++rank) {
    const std::vector<float> part(h_in.begin() + begin[rank], h_in.begin() + begin[rank + 1]);
    std::vector<float> expected(part);
    for (float &value : expected)
      value *= factor;
    const std::vector<float> got(told + begin[rank], told + begin[rank + 1]);
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
}

std::vector<int> check(int n, const std::vector<Member> &crew) {
  const int ranks = static_cast<int>(crew.size());
  std::vector<int> devices;
  for (const Member &one : crew)
    devices.push_back(one.device);
  const float factor = 2.5f;
  const auto h_in = checker::extreme_values<float>(n);
  Parts parts(ranks);
  std::vector<int> begin(ranks + 1, -1);
  const std::string what =
      checker::elements(n, "number") +
      (ranks == 1 ? " for one device" : " for " + checker::counted(ranks, "device"));
  share_out(n, crew.data(), ranks, begin.data());
  expect_parts(what, n, begin, crew);
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
                crew.data(),
                ranks,
                begin.data(),
                parts.d_part.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaGetDevice(&after));
    for (int rank = 0; rank < ranks; ++rank) {
      const int part = begin[rank + 1] - begin[rank];
      if (part == 0)
        continue;
      const checker::OnDevice current(devices[rank]);
      checker::expect(
          parts.d_part[rank] != nullptr,
          "no_memory",
          what + ": d_part[" + std::to_string(rank) +
              "] is still null. cudaMalloc() sets the pointer whose "
              "address it gets: that has to be d_part's own element, and no copy of it");
      LAB_CHECK(cudaMemcpyAsync(told.data() + begin[rank],
                                parts.d_part[rank],
                                part * sizeof(float),
                                cudaMemcpyDeviceToHost,
                                look.streams[rank]));
    }
    checker::wait_for(devices);
  });
  expect_scaled(what, h_in, begin, told.data(), factor);
  std::vector<int> filled; // ranks whose part is not empty
  for (int rank = 0; rank < ranks; ++rank)
    if (begin[rank] < begin[rank + 1])
      filled.push_back(rank);
  if (seen)
    checker::expect_launches(what, *seen, filled.size());
  const auto all_counted = [](const emu::KernelReport &kernel) {
    return kernel.blocks_traced == kernel.blocks();
  };
  if (seen && std::all_of(seen->kernels.begin(), seen->kernels.end(), all_counted)) {
    const auto scaled = checker::total(*seen, emu::Access::global_store).bytes / sizeof(float);
    checker::expect(scaled >= h_in.size(),
                    "worked_on_the_host",
                    what + ": all values are right, but kernels have written " +
                        std::to_string(scaled) + " of them, and the host has scaled the others");
  }
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
                        " belongs on crew[" + std::to_string(rank) + "].device, which is device " +
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

TEST_CASE("a fast one that wakes late") {
  const auto device = checker::devices_of(2);
  check(4096, {{device[0], 40, 48}, {device[1], 4, 9}});
}

TEST_CASE("devices of three ages") {
  const auto device = checker::devices_of(3);
  check(4097, {{device[0], 30, 48}, {device[1], 12, 20}, {device[2], 0, 9}});
}

TEST_CASE("one") { check(33, {{checker::devices_of(1)[0], 7, 3}}); }

TEST_CASE("two, and any number") {
  const auto device = checker::devices_of(2);
  for (int n : checker::sizes())
    if (n > 0)
      check(n, {{device[0], 5, 20}, {device[1], 30, 31}});
}

TEST_CASE("one that sleeps on") {
  const auto device = checker::devices_of(3);
  check(1000, {{device[0], 1, 10}, {device[1], 500, 1000}, {device[2], 2, 11}});
}

TEST_CASE("two that sleep on, of whom one shows when the other one is gone") {
  const auto device = checker::devices_of(4);
  check(1000,
        {{device[0], 1, 10}, {device[1], 500, 1000}, {device[2], 150, 20}, {device[3], 1, 10}});
}

TEST_CASE("in another order") {
  const auto device = checker::devices_of(3);
  check(1000, {{device[2], 3, 10}, {device[0], 9, 30}, {device[1], 6, 20}});
}

TEST_CASE("whichever device is current") {
  const auto device = checker::devices_of(3);
  const checker::OnDevice current(device[1]);
  check(1025, {{device[0], 1, 10}, {device[1], 1, 10}, {device[2], 1, 10}});
}

TEST_CASE("home together") {
  const auto device = checker::devices_of(3);
  const std::vector<Member> crew = {{device[0], 40, 48}, {device[1], 12, 20}, {device[2], 4, 9}};
  constexpr int n = 5504;
  const auto begin = check(n, crew);
  const auto race = [&](const std::string &whose, const std::vector<int> &parts) {
    const auto columns = [](double time) { return static_cast<std::size_t>(time / 3 + 0.5); };
    std::string all = "\n" + whose + ", home after " + us(all_done(parts, crew)) + ":";
    for (int rank = 0; rank < 3; ++rank) {
      const std::size_t asleep = columns(crew[rank].wake),
                        busy = columns(done(crew[rank], parts[rank + 1] - parts[rank]));
      all += "\n" + std::string(std::min(asleep, busy), 'z') +
             std::string(busy - std::min(asleep, busy), '#') +
             std::string(columns(all_done(parts, crew)) - busy, '.') + "|";
    }
    return all;
  };
  checker::note(
      "Three races of 5504 numbers: a device wakes up (z), works (#), and waits (.) until "
      "all go home (|)." +
      race("Equal parts", equal_parts(n, 3)) + race("Parts by speed", parts_by_speed(n, crew)) +
      race("Yours", begin));
}
