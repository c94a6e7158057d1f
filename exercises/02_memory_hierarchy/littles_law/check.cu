// Checks littles_law.cu: the GPU of the lesson and GPUs that are drawn, for rates that the memory, or the time, or both forbid.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

struct Gpu {
  double bandwidth, latency, latency_l2;
  int multiprocessors, threads;
};

struct Order {
  int multiprocessors, bandwidth;
};

double hits_needed(const Gpu &gpu, int loads, int bytes, double wanted);
Order order();

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
  double wanted;

  double under_way() const {
    return static_cast<double>(gpu.multiprocessors) * gpu.threads * loads * bytes;
  }
  /// The share that spares the memory enough, which may be less than 0.
  double for_memory() const { return 1 - gpu.bandwidth / wanted; }
  /// The share with which loads are back in time, if so many bytes are under way; less than 0 or more than 1, too.
  double for_time(double bytes) const {
    return (gpu.latency - bytes / wanted) / (gpu.latency - gpu.latency_l2);
  }
  /// GB/s that reach the threads with this share.
  double rate(double hits) const {
    const double alone = hits * gpu.latency_l2 + (1 - hits) * gpu.latency;
    return std::min(under_way() / alone, gpu.bandwidth / (1 - hits));
  }
  std::string text() const {
    return rounded(wanted) + " GB/s, where memory brings " + rounded(gpu.bandwidth) + " within " +
           rounded(gpu.latency) + " ns and the L2 takes " + rounded(gpu.latency_l2) + " ns, with " +
           std::to_string(gpu.multiprocessors) + " multiprocessors of " +
           std::to_string(gpu.threads) + " threads, each with " + checker::counted(loads, "load") +
           " of " + checker::counted(bytes, "byte");
  }
};

double share(double hits) { return hits > 1 ? -1 : std::max(hits, 0.0); }
double answer(const Question &q) {
  return share(std::max(q.for_memory(), q.for_time(q.under_way())));
}

int drawn(int low, int high) { return checker::random_values<int>(1, low, high)[0]; }

/// @param kind  0: no hits are needed; 1: for the memory; 2: for the time; 3: no share would do; 4 and 5: the last two,
/// by little
Question draw(int kind) {
  for (;;) {
    const Gpu gpu{1.0 * drawn(200, 9000),
                  1.0 * drawn(250, 1200),
                  1.0 * drawn(80, 200),
                  drawn(10, 200),
                  32 * drawn(4, 64)};
    const Question q{gpu, drawn(2, 8), 1 << drawn(1, 4), 100.0 * drawn(2, 200)};
    const double memory = q.for_memory(), time = q.for_time(q.under_way());
    const bool both = std::abs(memory - time) > 0.1; // no matter of a hair's breadth
    if (kind == 0   ? std::max(memory, time) < -0.1
        : kind == 1 ? both && memory > std::max(time, 0.1)
        : kind == 2 ? both && time > std::max(memory, 0.1) && time < 0.95
        : kind == 3 ? time > 1.1
        : kind == 4 ? time > memory && time > 0.95 && time < 0.99
                    : time > 1.01 && time < 1.1)
      return q;
  }
}

const Gpu h200{4660, 351, 145, 132, 2048}; // the lesson's
constexpr double near = 0.005;

void compare(const Question &q, double given) {
  const double expected = answer(q);
  if (std::abs(given - expected) <= near)
    return;
  const std::string what = q.text() + ": ";
  checker::diagnose("no_share",
                    given < 0 || given > 1 || expected < 0,
                    what + "a share of " + rounded(given) + ", by this answer" +
                        (expected < 0 ? ". With all loads from the L2 " + rounded(q.rate(1)) +
                                            " GB/s arrive, so that not even all would do: -1"
                         : given == -1 ? ". But a share of " + rounded(expected) + " is enough"
                                       : ". A share lies between 0 and 1"));
  const double no_hit = q.under_way() / q.gpu.latency, all_hit = q.under_way() / q.gpu.latency_l2;
  const bool of_rates = std::abs(given - (q.wanted - no_hit) / (all_hit - no_hit)) <= near;
  if (of_rates)
    checker::diagnose("too_few_hits",
                      given < expected,
                      "a share of " + rounded(given) + " makes " + rounded(q.wanted) +
                          " GB/s the mean of two rates, " + rounded(no_hit) +
                          " without a hit and " + rounded(all_hit) +
                          " with hits alone. But what has a mean is the time of a load: of some "
                          "it is " +
                          rounded(q.gpu.latency) + " ns, of others " + rounded(q.gpu.latency_l2));
  checker::diagnose(
      "too_few_hits",
      given < expected,
      what + "with a share of " + rounded(given) + ", by this answer, only " +
          rounded(q.rate(given)) + " GB/s arrive" +
          (q.for_memory() > q.for_time(q.under_way())
               ? ": the memory brings all it can"
               : ": loads take too long for what is under way, and the memory is idle "
                 "at times"));
  checker::diagnose("more_than_it_takes",
                    given > expected,
                    what + "a share of " + rounded(given) + ", by this answer. " +
                        rounded(expected) + " is enough");
  const std::string share = "the share" + (of_rates ? "" : " for " + q.text());
  if (std::isfinite(given))
    checker::expect_same(
        share,
        lab::Verdict::wrong(share + ": expected " + rounded(expected) + ", got " + rounded(given)));
  checker::expect_same(share, given, expected, {near, 0.0});
}

void check(const std::vector<Question> &all) {
  std::vector<double> given;
  for (const Question &q : all)
    given.push_back(hits_needed(q.gpu, q.loads, q.bytes, q.wanted));
  using Q = const Question &;
  const auto mistake = [&](const char *diagnosis, auto wrong, const char *text) {
    bool as_wrong = true, right = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      as_wrong = as_wrong && std::abs(given[i] - wrong(all[i])) <= near;
      right = right && std::abs(given[i] - answer(all[i])) <= near;
    }
    checker::diagnose(diagnosis, as_wrong && !right, text);
  };
  const auto counts = [&](const char *diagnosis, auto under_way, const char *text) {
    mistake(
        diagnosis,
        [=](Q q) { return share(std::max(q.for_memory(), q.for_time(under_way(q)))); },
        text);
  };
  const char *memory =
      "so many hits spare the memory what it can't bring. But if too little is under "
      "way, it brings less than it can: then loads have to be back sooner";
  mistake(
      "memory_alone", [](Q q) { return q.for_memory(); }, memory);
  mistake(
      "memory_alone", [](Q q) { return share(q.for_memory()); }, memory);
  mistake(
      "time_alone",
      [](Q q) { return share(q.for_time(q.under_way())); },
      "so many hits bring loads back in time, if the memory brings all the others. But it brings "
      "no "
      "more than its bandwidth");
  mistake(
      "no_share",
      [](Q q) { return std::max(q.for_memory(), q.for_time(q.under_way())); },
      "right, where it is a share. But where no hits are needed that is 0 and not less, and where "
      "not even all would do, -1");
  mistake(
      "misses",
      [](Q q) { return answer(q) < 0 ? -1 : 1 - answer(q); },
      "this is the share that may miss. Asked for is the share that hits");
  mistake(
      "in_percent",
      [](Q q) { return answer(q) < 0 ? -1 : 100 * answer(q); },
      "this is in percent. Asked for is a share from 0 to 1");
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
  mistake(
      "hits_take_no_time",
      [](Q q) {
        return share(
            std::max(q.for_memory(), (q.gpu.latency - q.under_way() / q.wanted) / q.gpu.latency));
      },
      "loads that hit are taken to be there at once. They take gpu.latency_l2");
  std::size_t shown = 0; // the first one that is wrong, if any is
  while (shown + 1 < all.size() && std::abs(given[shown] - answer(all[shown])) <= near)
    ++shown;
  compare(all[shown], given[shown]);
}

} // namespace

TEST_CASE("any GPU, and any rate") {
  std::vector<Question> all = {{h200, 1, 4, 3000}, {h200, 1, 4, 4660}, {h200, 1, 4, 8000}};
  for (int i = 0; i < 80; ++i)
    all.push_back(draw(i % 6));
  check(all);
}

TEST_CASE("5000 GB/s with one int") {
  checker::record("percent_of_hits_for_5000", 100 * hits_needed(h200, 1, 4, 5000));
}

TEST_CASE("your order") {
  checker::unless_failed_before();
  constexpr double wanted = 6000;
  const auto gpu = [](int multiprocessors, double bandwidth) {
    Gpu gpu = h200;
    gpu.multiprocessors = multiprocessors;
    gpu.bandwidth = bandwidth;
    return gpu;
  };
  const auto price = [&](int multiprocessors, double bandwidth, double hits) {
    return hits < 0 || hits >= 1 ? 1e9 : multiprocessors + bandwidth / 20 + 75 / (1 - hits);
  };
  double cheapest = 1e9; // where the time takes as many hits as the memory
  for (int m = 1; m < 400; ++m) {
    const double hits = share(Question{gpu(m, 1), 1, 4, wanted}.for_time(m * 2048.0 * 4));
    cheapest = std::min(cheapest, price(m, wanted * (1 - hits), hits));
  }
  const auto coins = [](double value) { return std::to_string(std::lround(value)); };
  const auto percent = [&](double hits) { return coins(100 * std::clamp(hits, 0.0, 9.99)) + " %"; };
  const auto [m, bandwidth] = order();
  std::string text = "Your order, for 6000 GB/s with one int per thread: ";
  if (m < 1 || m > 10000 || bandwidth < 1 || bandwidth > 1000000) {
    checker::note(text + "from 1 to 10000 multiprocessors can be had, and from 1 to "
                         "1000000 GB/s. Change order(), and look again.");
    return;
  }
  const double hits = hits_needed(gpu(m, bandwidth), 1, 4, wanted);
  const double all = price(m, bandwidth, hits);
  text += checker::counted(m, "multiprocessor") + " and " + std::to_string(bandwidth) + " GB/s";
  if (all >= 1e9) {
    text += " can't do it with any cache. The cheapest that can costs " + coins(cheapest) + ".";
  } else {
    const Question mine{gpu(m, bandwidth), 1, 4, wanted};
    text += ", of whose loads " + percent(hits) + " must hit. That costs " + coins(m) + " + " +
            coins(bandwidth / 20.0) + " + " + coins(75 / (1 - hits)) + " = " + coins(all) + ". " +
            (std::lround(all) <= std::lround(cheapest)
                 ? "No other one is cheaper: a record that will stand."
                 : "The cheapest one costs " + coins(cheapest) + ". To spare your memory takes " +
                       percent(mine.for_memory()) + " of hits, to be in time with your threads " +
                       percent(mine.for_time(mine.under_way())) + ": you pay for the larger one.");
  }
  text += "\nWhat the others cost, by your function: blank is up to 5 % above the cheapest, each "
          "darker sign 5 % more. X is yours:";
  for (int row = 6200; row > 600; row -= 400) {
    const std::string label = std::to_string(row);
    text += "\n" + std::string(5 - label.size(), ' ') + label + " |";
    for (int col = 100; col < 292; col += 3) {
      const double costs = price(col, row, hits_needed(gpu(col, row), 1, 4, wanted));
      const bool here = std::abs(bandwidth - row - 0.5) < 200 && std::abs(m - col) <= 1;
      text +=
          here ? 'X' : " .:-=+*%#@"[std::min(9, static_cast<int>((costs / cheapest - 1) / 0.05))];
    }
  }
  text +=
      "\n GB/s  100 multiprocessors" + std::string(14, ' ') + "200" + std::string(25, ' ') + "290";
  checker::note(text);
}
