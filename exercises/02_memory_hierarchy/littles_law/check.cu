// Checks littles_law.cu: the GPU of the lesson and GPUs that are drawn, with too little under way or too much.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

struct Gpu {
  double bandwidth, latency;
  int multiprocessors, threads;
};

struct Reads {
  double rate, time;
};

Reads reads(const Gpu &gpu, int loads, int bytes);

namespace {

/// Whole numbers from 100 on, and below that three digits.
std::string rounded(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "NaN" : "infinity";
  char text[32];
  std::snprintf(
      text, sizeof text, std::abs(value) < 100 || std::abs(value) >= 1e12 ? "%.3g" : "%.0f", value);
  return text;
}

struct Question {
  Gpu gpu;
  int loads, bytes;

  double under_way() const {
    return static_cast<double>(gpu.multiprocessors) * gpu.threads * loads * bytes;
  }
  double enough() const { return gpu.bandwidth * gpu.latency; }
  std::string text() const {
    return rounded(gpu.bandwidth) + " GB/s, " + rounded(gpu.latency) + " ns, " +
           std::to_string(gpu.multiprocessors) + " multiprocessors with " +
           std::to_string(gpu.threads) + " threads, each with " + checker::counted(loads, "load") +
           " of " + checker::counted(bytes, "byte");
  }
};

/// If so many bytes are under way.
Reads answer(const Question &q, double under_way) {
  const double time = std::max(q.gpu.latency, under_way / q.gpu.bandwidth);
  return {under_way / time, time};
}

int drawn(int low, int high) { return checker::random_values<int>(1, low, high)[0]; }

Question draw(bool too_much) {
  for (;;) {
    const Gpu gpu{
        1.0 * drawn(200, 9000), 1.0 * drawn(250, 1200), drawn(10, 200), 32 * drawn(4, 64)};
    const Question q{gpu, drawn(2, 16), 1 << drawn(1, 4)};
    if ((q.under_way() > q.enough()) == too_much)
      return q;
  }
}

const Gpu h200{4660, 351, 132, 2048}; // the lesson's
constexpr lab::Tolerance percent{0.0, 0.01};

bool close(double a, double b) { return std::abs(a - b) <= percent.relative * std::abs(b); }

void expect_close(const std::string &what, double given, double expected, const char *unit) {
  if (std::isfinite(given) && !close(given, expected))
    checker::expect_same(what,
                         lab::Verdict::wrong(what + ": expected " + rounded(expected) + ", got " +
                                             rounded(given) + unit));
  checker::expect_same(what, given, expected, percent);
}

void compare(const Question &q, const Reads &given) {
  const std::string what = q.text() + ": ";
  const auto gbps = [](double rate) { return rounded(rate) + " GB/s"; };
  const auto ns = [](double time) { return rounded(time) + " ns"; };
  checker::diagnose("more_than_the_memory_brings",
                    given.rate > 1.01 * q.gpu.bandwidth,
                    what + gbps(given.rate) + " arrive, by this answer. The memory brings " +
                        gbps(q.gpu.bandwidth) + " at most, however many loads ask for more");
  checker::diagnose(
      "sooner_than_alone",
      given.time < 0.99 * q.gpu.latency,
      what + "a load takes " + ns(given.time) + ", by this answer. Without any wait it takes " +
          ns(q.gpu.latency) + ", and no load is faster" +
          (q.under_way() < q.enough() ? ". So it is here: " + rounded(q.under_way()) +
                                            " bytes are under way, and it takes " +
                                            rounded(q.enough()) + " to keep the memory busy"
                                      : ""));
  checker::diagnose("not_the_law",
                    !close(given.rate * given.time, q.under_way()),
                    what + rounded(q.under_way()) + " bytes are under way. At " + gbps(given.rate) +
                        ", each for " + ns(given.time) + ", it would be " +
                        rounded(given.rate * given.time) +
                        ": by Little's law that has to be the same");
  checker::diagnose("idle_and_late",
                    given.rate < q.gpu.bandwidth && given.time > q.gpu.latency,
                    what + gbps(given.rate) +
                        " arrive, so the memory has time to spare, and yet a load takes " +
                        ns(given.time) +
                        ". Nobody waits for an idle memory: either the rate is the bandwidth, "
                        "or the time is the latency");
  const Reads expected = answer(q, q.under_way());
  if (close(given.time, expected.time))
    expect_close("the rate with " + q.text(), given.rate, expected.rate, " GB/s");
  else
    expect_close("the time with " + q.text(), given.time, expected.time, " ns");
}

void check(const std::vector<Question> &all) {
  std::vector<Reads> given;
  for (const Question &q : all)
    given.push_back(reads(q.gpu, q.loads, q.bytes));
  const auto mistake = [&](const char *diagnosis, auto answer, const char *text) {
    checker::diagnose(diagnosis,
                      std::equal(given.begin(),
                                 given.end(),
                                 all.begin(),
                                 [&](const Reads &r, const Question &q) {
                                   const Reads wrong = answer(q);
                                   return close(r.rate, wrong.rate) && close(r.time, wrong.time);
                                 }),
                      text);
  };
  using Q = const Question &;
  mistake(
      "data_sheet",
      [](Q q) {
        return Reads{q.gpu.bandwidth, q.gpu.latency};
      },
      "bandwidth and latency of the data sheet, whatever is under way. With a single load in "
      "flight "
      "one load arrives in each latency: how many GB/s are that?");
  mistake(
      "changed_about",
      [](Q q) {
        const Reads right = answer(q, q.under_way());
        return Reads{right.time, right.rate};
      },
      "rate and time are right, and each stands in the other's place. Reads has the rate first");
  for (const double unit : {1e9, 1e-9})
    for (const bool of_rate : {true, false})
      mistake(
          of_rate ? "not_in_gbps" : "not_in_ns",
          [=](Q q) {
            const Reads right = answer(q, q.under_way());
            return Reads{right.rate * (of_rate ? unit : 1), right.time * (of_rate ? 1 : unit)};
          },
          of_rate ? "the rate is right, but not in GB/s. Bytes per ns are GB/s, without any factor"
                  : "the time is right, but not in ns. Bytes divided by GB/s are ns, without any "
                    "factor");
  const auto counts = [&](const char *diagnosis, auto under_way, const char *text) {
    mistake(
        diagnosis, [=](Q q) { return answer(q, under_way(q)); }, text);
  };
  counts(
      "multiprocessors_forgotten",
      [](Q q) { return q.under_way() / q.gpu.multiprocessors; },
      "so it would be if one multiprocessor read alone. The loads of all of them are under way");
  counts(
      "of_a_thread_each",
      [](Q q) { return q.under_way() / q.gpu.threads; },
      "so it would be with one thread on each multiprocessor. Each holds gpu.threads of them");
  counts(
      "one_load",
      [](Q q) { return q.under_way() / q.loads; },
      "so it would be with one load for each thread. Each has `loads` of them in flight");
  counts(
      "loads_not_bytes",
      [](Q q) { return q.under_way() / q.bytes; },
      "loads are counted where bytes are meant. How many bytes does a load bring?");
  counts(
      "of_warps",
      [](Q q) { return q.under_way() / 32; },
      "so it would be if only one lane of each warp read. A load of a warp is one for each of its "
      "32 threads");
  for (const double thousand : {1.024, 1.024 * 1.024, 1.024 * 1.024 * 1.024})
    for (const bool more : {true, false})
      counts(
          "powers_of_two",
          [=](Q q) { return more ? q.under_way() * thousand : q.under_way() / thousand; },
          "a factor of 1024 stands in the place of 1000. A GB has 10^9 bytes here, not 2^30: bytes "
          "per ns are GB/s");
  for (const int rate : {0, 1, 2})
    mistake(
        "both_times_added",
        [=](Q q) {
          const double time = q.gpu.latency + q.under_way() / q.gpu.bandwidth;
          return Reads{rate == 0 ? q.under_way() / time
                                 : (rate == 1 ? answer(q, q.under_way()).rate : q.gpu.bandwidth),
                       time};
        },
        "the latency and the time in which the memory brings all are added up. But while a load is "
        "on "
        "its way, the memory brings others: the longer of the two times holds");
  const auto right = [&](std::size_t i) {
    const Reads expected = answer(all[i], all[i].under_way());
    return close(given[i].rate, expected.rate) && close(given[i].time, expected.time);
  };
  std::size_t shown = 0; // the first one that is wrong, if any is
  while (shown + 1 < all.size() && right(shown))
    ++shown;
  compare(all[shown], given[shown]);
}

} // namespace

TEST_CASE("any GPU, too little under way or too much") {
  std::vector<Question> all = {{h200, 1, 4}, {h200, 8, 4}};
  for (int i = 0; i < 100; ++i)
    all.push_back(draw(i % 2 == 1));
  check(all);
}

TEST_CASE("eight ints for each thread, and half of the latency") {
  Gpu nearer = h200;
  nearer.latency /= 2;
  checker::record("ns_at_half_the_latency", reads(nearer, 8, 4).time);
}

TEST_CASE("GPUs, oldest first") {
  checker::unless_failed_before();
  const std::pair<const char *, Gpu> gpus[] = {{"GTX 1080", {320, 351, 20, 2048}},
                                               {"T4      ", {320, 351, 40, 1024}},
                                               {"A100    ", {1555, 351, 108, 2048}},
                                               {"RTX 3060", {360, 351, 28, 1536}},
                                               {"RTX 4090", {1008, 351, 128, 1536}},
                                               {"H100    ", {3350, 351, 132, 2048}},
                                               {"H200    ", {4814, 351, 132, 2048}},
                                               {"B200    ", {7672, 351, 148, 2048}}};
  std::string text =
      "Bytes that each thread needs under way to keep the memory busy, by your function, "
      "if a load took as long everywhere as on the H200:";
  for (const auto &[name, gpu] : gpus) {
    int bytes = 1;
    while (bytes < 64 && reads(gpu, 1, bytes).rate < 0.98 * gpu.bandwidth)
      ++bytes;
    text +=
        "\n" + std::string(name) + " " + std::string(2 * bytes, '=') + " " + std::to_string(bytes);
  }
  checker::note(text);
}
