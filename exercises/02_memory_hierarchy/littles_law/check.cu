// Checks littles_law.cu: one GPU of the lesson, GPUs of which everything is drawn, and some that come out even.
#include "checker/checker.hpp"

#include <algorithm>

struct Gpu {
  int bandwidth, latency, multiprocessors, threads;
};

int loads_in_flight(const Gpu &gpu, int bytes);

namespace {

struct Question {
  Gpu gpu;
  int bytes;

  double needed() const { return static_cast<double>(gpu.bandwidth) * gpu.latency; }
  double threads() const { return static_cast<double>(gpu.multiprocessors) * gpu.threads; }
  std::string text() const {
    return std::to_string(gpu.bandwidth) + " GB/s, " + std::to_string(gpu.latency) + " ns, " +
           std::to_string(gpu.multiprocessors) + " multiprocessors with " +
           std::to_string(gpu.threads) + " threads, loads of " + checker::counted(bytes, "byte");
  }
};

int drawn(int low, int high) { return checker::random_values<int>(1, low, high)[0]; }

Question draw() {
  return {{drawn(200, 9000), drawn(250, 1200), drawn(10, 200), 32 * drawn(4, 64)},
          1 << drawn(0, 4)};
}

/// Of which just so many loads do, and with a nanosecond more one more.
Question draw_even(int loads) {
  const int sms = drawn(40, 160), bytes = 1 << drawn(2, 4), threads = 256 * drawn(1, 8);
  return {{16 * sms, threads * bytes / 16 * loads, sms, threads}, bytes};
}

template <class Answer> std::vector<int> answers(const std::vector<Question> &all, Answer answer) {
  std::vector<int> given(all.size());
  std::transform(all.begin(), all.end(), given.begin(), answer);
  return given;
}

int up(double value) { return static_cast<int>(std::ceil(value)); }
int down(double value) { return static_cast<int>(value); }

void check(const std::vector<Question> &all) {
  const auto given =
      answers(all, [](const Question &q) { return loads_in_flight(q.gpu, q.bytes); });
  const auto mistake = [&](const char *diagnosis, auto answer, const char *text) {
    checker::diagnose(diagnosis, given == answers(all, answer), text);
  };
  using Q = const Question &;
  mistake(
      "one_load",
      [](Q) { return 1; },
      "1 for every GPU. Compare what is under way with one load for each thread with what must be: "
      "bandwidth times latency");
  checker::diagnose(
      "divided",
      std::all_of(given.begin(), given.end(), [](int loads) { return 0 <= loads && loads <= 1; }),
      "0 or 1 for every GPU. The longer a read takes, the more must be under way: is the latency "
      "multiplied?");
  for (const bool at_least_one : {false, true})
    mistake(
        "rounded_down",
        [&](Q q) {
          return std::max(at_least_one ? 1 : 0, down(q.needed() / q.threads() / q.bytes));
        },
        "these are rounded down: with so many loads less is under way than must be. Of ints, / "
        "drops what is left over");
  mistake(
      "one_too_many",
      [](Q q) { return down(q.needed() / q.threads() / q.bytes) + 1; },
      "where it comes out even this is a load too many. Rounded up is (a + b - 1) / b");
  for (const bool rounds_up : {false, true}) {
    const auto rounded = [=](double value) { return rounds_up ? up(value) : down(value); };
    mistake(
        "of_the_whole_gpu",
        [&](Q q) { return rounded(q.needed() / q.bytes); },
        "so many loads must be in flight on the whole GPU. How many threads share them?");
    mistake(
        "of_a_multiprocessor",
        [&](Q q) { return rounded(q.needed() / q.gpu.multiprocessors / q.bytes); },
        "so many loads must be in flight on each multiprocessor. How many threads share them?");
    mistake(
        "multiprocessors_forgotten",
        [&](Q q) { return rounded(q.needed() / q.gpu.threads / q.bytes); },
        "so many loads there must be if one multiprocessor did all the work");
    mistake(
        "of_a_warp",
        [&](Q q) { return rounded(32 * q.needed() / q.threads() / q.bytes); },
        "so many loads must be in flight for each warp: the threads need not be divided by 32");
    mistake(
        "bytes_of_a_thread",
        [&](Q q) { return rounded(q.needed() / q.threads()); },
        "these are bytes that each thread must have under way. How many does a load bring?");
    for (const double thousand : {1.024, 1.024 * 1.024, 1.024 * 1.024 * 1.024})
      mistake(
          "powers_of_two",
          [&](Q q) { return rounded(q.needed() * thousand / q.threads() / q.bytes); },
          "GB/s times ns are bytes: 10^9 bytes per second are meant, not 2^30, and a KB has 1000");
  }
  for (const bool by_threads : {false, true})
    mistake(
        "rounded_on_the_way",
        [=](Q q) {
          const double share = down(q.needed() / q.gpu.multiprocessors), threads = q.gpu.threads;
          return up((by_threads ? down(share / threads) : share / threads) / q.bytes);
        },
        "something is rounded down on the way, and only the result is rounded up: a byte that is "
        "dropped may be the one for which another load is needed. Divide once, at the end");
  const auto expected = answers(all, [](Q q) { return up(q.needed() / q.threads() / q.bytes); });
  std::size_t shown = 0; // the first one that is wrong, if any is
  while (shown + 1 < all.size() && given[shown] == expected[shown])
    ++shown;
  checker::expect_same(all[shown].text(), given[shown], expected[shown]);
}

} // namespace

TEST_CASE("any GPU") {
  // In the second 30 bytes less than one for each multiprocessor need another load.
  std::vector<Question> all = {{{4560, 337, 132, 2048}, 4}, {{6326, 349, 49, 1024}, 4}};
  for (int i = 0; i < 100; ++i)
    all.push_back(draw());
  for (int loads = 1; loads <= 8; ++loads) {
    all.push_back(draw_even(loads));
    all.push_back(all.back());
    ++all.back().gpu.latency;
  }
  check(all);
}

TEST_CASE("few threads, wide loads") {
  checker::record("loads_of_few_threads", loads_in_flight({4560, 337, 132, 512}, 8));
}
