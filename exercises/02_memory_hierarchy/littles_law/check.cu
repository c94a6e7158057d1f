// Checks littles_law.cu: the GPU of the lesson and GPUs that are drawn, with too little under way or too much.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

struct Gpu {
  double bandwidth, latency, latency_l2;
  int multiprocessors, threads;
};

struct Reads {
  double rate, time;
};

Reads reads(const Gpu &gpu, int loads, int bytes, double hits);

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
  double hits;

  double under_way() const {
    return static_cast<double>(gpu.multiprocessors) * gpu.threads * loads * bytes;
  }
  /// ns that a load takes on average if none waits.
  double alone() const { return hits * gpu.latency_l2 + (1 - hits) * gpu.latency; }
  /// GB/s that reach the threads when the memory brings all it can.
  double most() const { return gpu.bandwidth / (1 - hits); }
  double enough() const { return most() * alone(); }
  std::string text() const {
    return rounded(gpu.bandwidth) + " GB/s, " + rounded(gpu.latency) + " ns, " +
           std::to_string(gpu.multiprocessors) + " multiprocessors with " +
           std::to_string(gpu.threads) + " threads, each with " + checker::counted(loads, "load") +
           " of " + checker::counted(bytes, "byte") +
           (hits > 0 ? ", " + rounded(100 * hits) + " % of them found in the L2 within " +
                           rounded(gpu.latency_l2) + " ns"
                     : "");
  }
};

/// If a load takes `alone` ns without a wait, and `most` GB/s can arrive.
Reads answer(double under_way, double alone, double most) {
  const double time = std::max(alone, under_way / most);
  return {under_way / time, time};
}
/// If so many bytes are under way.
Reads answer(const Question &q, double under_way) { return answer(under_way, q.alone(), q.most()); }

int drawn(int low, int high) { return checker::random_values<int>(1, low, high)[0]; }

Question draw(bool too_much) {
  for (;;) {
    const Gpu gpu{1.0 * drawn(200, 9000),
                  1.0 * drawn(250, 1200),
                  1.0 * drawn(80, 200),
                  drawn(10, 200),
                  32 * drawn(4, 64)};
    const Question q{gpu, drawn(2, 16), 1 << drawn(1, 4), 0.1 * drawn(0, 9)};
    if ((q.under_way() > q.enough()) == too_much)
      return q;
  }
}

const Gpu h200{4660, 351, 145, 132, 2048}; // the lesson's
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
  checker::diagnose(
      "more_than_the_memory_brings",
      given.rate > 1.01 * q.most(),
      what + gbps(given.rate) + " arrive, by this answer" +
          (q.hits > 0 ? ", so from the memory " + gbps((1 - q.hits) * given.rate) : "") +
          ". The memory brings " + gbps(q.gpu.bandwidth) +
          " at most, however many loads ask for more");
  checker::diagnose(
      "sooner_than_alone",
      given.time < 0.99 * q.alone(),
      what + "a load takes " + ns(given.time) + ", by this answer. Without any wait it takes " +
          ns(q.alone()) + (q.hits > 0 ? " on average" : "") + ", and no load is faster" +
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
                    given.rate < q.most() && given.time > q.alone(),
                    what + gbps(given.rate) +
                        " arrive, so the memory has time to spare, and yet a load takes " +
                        ns(given.time) +
                        ". Nobody waits for an idle memory: either it brings all it can, or a "
                        "load takes as long as alone");
  const Reads expected = answer(q, q.under_way());
  if (close(given.time, expected.time))
    expect_close("the rate with " + q.text(), given.rate, expected.rate, " GB/s");
  else
    expect_close("the time with " + q.text(), given.time, expected.time, " ns");
}

void check(const std::vector<Question> &all) {
  std::vector<Reads> given;
  for (const Question &q : all)
    given.push_back(reads(q.gpu, q.loads, q.bytes, q.hits));
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
      "one_load",
      [](Q q) { return q.under_way() / q.loads; },
      "so it would be with one load for each thread. Each has `loads` of them in flight");
  counts(
      "loads_not_bytes",
      [](Q q) { return q.under_way() / q.bytes; },
      "loads are counted where bytes are meant. How many bytes does a load bring?");
  for (const int rate : {0, 1, 2})
    mistake(
        "both_times_added",
        [=](Q q) {
          const double time = q.alone() + q.under_way() / q.most();
          return Reads{rate == 0 ? q.under_way() / time
                                 : (rate == 1 ? answer(q, q.under_way()).rate : q.most()),
                       time};
        },
        "the latency and the time in which the memory brings all are added up. But while a load is "
        "on "
        "its way, the memory brings others: the longer of the two times holds");
  mistake(
      "hits_forgotten",
      [](Q q) { return answer(q.under_way(), q.gpu.latency, q.gpu.bandwidth); },
      "so it would be if all loads went to memory. A share `hits` of them does not");
  mistake(
      "hits_through_memory",
      [](Q q) { return answer(q.under_way(), q.alone(), q.gpu.bandwidth); },
      "no more reaches the threads, by this answer, than the memory brings. But what the L2 has, "
      "it "
      "need not bring: that comes on top");
  mistake(
      "all_from_afar",
      [](Q q) { return answer(q.under_way(), q.gpu.latency, q.most()); },
      "where nobody waits, each load is taken to come from memory. Those that the L2 serves take "
      "gpu.latency_l2, and the time asked for is that of all on average");
  mistake(
      "misses_alone",
      [](Q q) {
        const Reads right = answer(q, q.under_way());
        return Reads{(1 - q.hits) * right.rate, right.time};
      },
      "so much the memory brings. Asked for is what reaches the threads, from wherever");
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
  std::vector<Question> all = {{h200, 1, 4, 0}, {h200, 8, 4, 0}, {h200, 8, 4, 0.5}};
  for (int i = 0; i < 100; ++i)
    all.push_back(draw(i % 2 == 1));
  check(all);
}

TEST_CASE("eight ints for each thread, and half of them found") {
  checker::record("ns_with_half_found", reads(h200, 8, 4, 0.5).time);
}

TEST_CASE("how far hits help") {
  checker::unless_failed_before();
  std::string text = "Two ints for each thread of the H200, by your function: GB/s that reach the "
                     "threads, by how many percent the L2 has. = is while loads wait for the "
                     "memory, - where none waits. (From about 8700 on the L2 itself would be "
                     "short.)";
  for (int percent = 0; percent <= 50; percent += 5) {
    const Question q{h200, 2, 4, percent / 100.0};
    const Reads given = reads(q.gpu, q.loads, q.bytes, q.hits);
    text += "\n" + std::string(percent < 10 ? 1 : 0, ' ') + std::to_string(percent) + " % " +
            std::string(static_cast<std::size_t>(given.rate / 160),
                        given.time > 1.01 * q.alone() ? '=' : '-') +
            " " + rounded(given.rate);
  }
  checker::note(text);
}
