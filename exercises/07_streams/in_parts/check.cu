// Checks in_parts.cu: the values, for any number of parts, and how soon parts of these sizes are done.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <string>

void in_parts(const float *h_levels,
              int n,
              float *d_levels,
              float *d_out,
              float *h_out,
              int parts,
              const cudaStream_t *streams,
              int stream_count);

namespace {

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::optional<emu::Observation> check(int n, int parts, int stream_count) {
  constexpr float nothing = -1e6f;
  const checker::Streams own(stream_count);
  checker::name_streams(own.streams, "streams[#]");
  const auto levels = checker::extreme_values<float>(n + 1);
  lab::PinnedBuffer<float> h_levels(n + 1), h_out(n);
  std::ranges::copy(checker::goes_in(levels), h_levels.begin());
  std::fill(h_out.begin(), h_out.end(), nothing);
  const auto d_levels = checker::poisoned<float>(n + parts), d_out = checker::poisoned<float>(n);
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(n, "hour") + ", parts: " + std::to_string(parts) +
                           ", streams: " + std::to_string(stream_count);
  checker::perhaps("Does a part end behind hour " + std::to_string(n) +
                       ", or ahead of where it begins? Shares that are rounded one by one can be "
                       "more than all together, and hours times shares more than an int holds",
                   "out_of_bounds");
  checker::perhaps("Two parts have the same hours. A part's hours end where the next part begins, "
                   "and where that is says first_hour()",
                   "stream_race");
  auto seen = checker::observe(what, [&] {
    in_parts(h_levels.data(),
             n,
             d_levels.data(),
             d_out.data(),
             h_out.data(),
             parts,
             own.streams.data(),
             stream_count);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  const std::vector<float> got(h_out.begin(), h_out.end());
  std::vector<float> expected;
  for (int i = 0; i < n; ++i)
    expected.push_back(levels[i + 1] - levels[i]);
  const auto untouched = std::ranges::count(got, nothing);
  checker::diagnose(
      "hours_missing",
      untouched > 0 && std::ranges::equal(got,
                                          expected,
                                          [](float had, float wanted) {
                                            return had == nothing || same(had, wanted);
                                          }),
      what + ": " + checker::counted(untouched, "hour") + ", from number " +
          std::to_string(std::ranges::find(got, nothing) - got.begin()) + " on, " +
          (untouched == 1 ? "is" : "are") +
          " in no part. Part 0 begins with hour 0, and the last part ends at n: what is lost by "
          "rounding?");
  checker::expect_same("result of " + what, got, expected);
  if (seen)
    checker::expect_by_kernels(*seen, emu::Access::global_store, n * sizeof(float), what);
  return seen;
}

/// What an engine does, in the order in which it was asked for.
std::vector<emu::TimelineBar> of_engine(const emu::Timeline &times, const std::string &engine) {
  std::vector<emu::TimelineBar> bars;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.engine == engine && bar.kind != "set")
      bars.push_back(bar);
  return bars;
}

char name_of(std::size_t part) {
  return static_cast<char>(part < 10 ? '0' + part : 'a' + part - 10);
}

/// A line for each of the three stages: which part is in it, a character for so long.
std::string on_their_way(const emu::Timeline &times, double us) {
  std::string lines;
  for (const char *engine : {"to_device", "sms", "to_host"}) {
    std::string line;
    std::size_t part = 0;
    for (const emu::TimelineBar &bar : of_engine(times, engine)) {
      line.resize(std::lround(bar.begin_us / us), ' ');
      line.resize(std::lround(bar.end_us / us), name_of(part++));
    }
    lines += std::string("\n") +
             (engine[0] == 's'   ? "kernel "
              : engine[3] == 'd' ? "there  "
                                 : "back   ") +
             line.substr(0, 73);
  }
  return lines;
}

constexpr int copy_minutes = 60, kernel_minutes = 120;

double minute_us(int n) { return n * sizeof(float) / 1e3 / copy_minutes; }

/// Of the last observation.
emu::Timeline there_kernel_and_back() {
  emu::TimelineModel model = checker::plain_model(0);
  model.memory_gb_per_s = 2 * model.link_gb_per_s * copy_minutes / kernel_minutes; // in and out
  model.sms = 1;
  return *checker::timeline(model);
}

double minutes_of(const emu::Timeline &times, int n) {
  return std::ceil(times.total_us / minute_us(n) - 0.1);
}

/// @return all that is to be said of a pass, where it can be told
std::string there_and_back(int n) {
  constexpr int parts = 8;
  const double minute_us = ::minute_us(n);
  checker::record("minutes_of_parts_alike", kernel_minutes + 2.0 * copy_minutes / 5);
  if (!check(n, parts, 4))
    return {};
  const auto times = there_kernel_and_back();
  const auto there = of_engine(times, "to_device"), kernels = of_engine(times, "sms"),
             back = of_engine(times, "to_host");
  const std::uint64_t bytes = checker::bytes_copied(times, "to_host");
  checker::expect(bytes >= n * sizeof(float) && !kernels.empty(),
                  "not_copied_back",
                  "the result is right, but copies have brought only " + std::to_string(bytes) +
                      " bytes of it back: who has written the others?");
  const auto minutes = [&](double us) {
    return checker::counted(std::lround(us / minute_us), "minute");
  };
  double idle_us = 0;
  std::size_t waits_for = 0;
  for (std::size_t part = 1; part < kernels.size(); ++part)
    if (const double us = kernels[part].begin_us - kernels[part - 1].end_us; us > idle_us) {
      idle_us = us;
      waits_for = part;
    }
  const double total = minutes_of(times, n);
  const double first_us = kernels[0].begin_us, last_us = times.total_us - kernels.back().end_us;
  const auto [least, most] =
      std::ranges::minmax(back, {}, [](const emu::TimelineBar &bar) { return bar.bytes; });
  const bool alike = most.bytes - least.bytes <= bytes / parts / 32;
  checker::expect_at_most(
      "minutes",
      total,
      128,
      alike                     ? "parts_alike"
      : idle_us > 2 * minute_us ? "kernel_waits"
                                : "long_ends",
      "the result for " + checker::counted(n, "hour") +
          " is right. The kernel takes 120 minutes in all, but before its first part " +
          minutes(first_us) + (std::lround(first_us / minute_us) == 1 ? " passes" : " pass") +
          ", and behind its last one " + minutes(last_us) +
          (alike ? ", as all parts are alike"
           : idle_us > 2 * minute_us
               ? ". And it waits " + minutes(idle_us) + " for part " + std::to_string(waits_for) +
                     ", which has not come when part " + std::to_string(waits_for - 1) + " is done"
               : ""));
  return "Your eight parts on their way, a character for two minutes:" +
         on_their_way(times, 2 * minute_us) + "\nDone after " + std::to_string(std::lround(total)) +
         " minutes; " +
         (total > 124 ? "the record is 124." : "124 are the record: no eight parts take less.");
}

} // namespace

TEST_CASE("one part") {
  for (int n : checker::sizes())
    check(n, 1, 1);
}

TEST_CASE("parts that do not come out even") {
  checker::unless_failed_before();
  for (int n : checker::sizes())
    check(n, 5, 3);
}

TEST_CASE("as many streams as parts, more, or one") {
  checker::unless_failed_before();
  check(1000, 4, 4);
  check(1000, 3, 8);
  check(1000, 6, 1);
  check(300, 40, 40);
}

TEST_CASE("there, kernel and back") {
  checker::unless_failed_before();
  there_and_back(checker::random_values<int>(1, 2000, 6000)[0]);
  if (const std::string seen = there_and_back(1 << 16); !seen.empty())
    checker::note(seen);
}

TEST_CASE("other numbers of parts") {
  checker::unless_failed_before();
  constexpr int n = 1 << 14;
  for (int parts : {6, 7, 12})
    if (check(n, parts, 4))
      checker::expect_at_most(
          "minutes_of_others",
          minutes_of(there_kernel_and_back(), n),
          std::floor(kernel_minutes + 0.8 * 2 * copy_minutes / parts),
          "rule_for_eight",
          std::to_string(parts) + " parts are hardly sooner done than " + std::to_string(parts) +
              " alike, though eight are: what is the rule, for any number of them?");
  check(70'001, 40, 4);
}

TEST_CASE("a flood") {
  checker::unless_failed_before();
  constexpr int n = 72, parts = 5, rows = 9;
  const checker::Streams own(3);
  lab::PinnedBuffer<float> h_levels(n + 1), h_out(n);
  const auto rain = checker::random_values<float>(n, 0, 1.5);
  float level = 2;
  for (int hour = 0; hour <= n; ++hour) {
    h_levels.begin()[hour] = level;
    const bool storm = (hour > 12 && hour < 20) || (hour > 40 && hour < 45);
    level = 0.88f * level + (storm ? 0.6f + rain[hour] : 0.3f * rain[std::min(hour, n - 1)]);
  }
  const auto d_levels = checker::poisoned<float>(n + parts), d_out = checker::poisoned<float>(n);
  LAB_CHECK(cudaDeviceSynchronize());
  checker::observe("a flood", [&] {
    in_parts(h_levels.data(),
             n,
             d_levels.data(),
             d_out.data(),
             h_out.data(),
             parts,
             own.streams.data(),
             3);
    LAB_CHECK(cudaDeviceSynchronize());
  });
  std::string text;
  for (int row = rows; row > 0; --row) {
    text += "\n  ";
    for (int hour = 0; hour < n; ++hour)
      text += h_levels.begin()[hour + 1] > 0.75f * static_cast<float>(row) ? '#' : ' ';
  }
  text += "\n  ";
  for (const float rise : h_out)
    text += rise > 0.5f ? '^' : rise < -0.3f ? 'v' : ' ';
  std::string cut = "\n  ";
  if (const auto times = checker::timeline(checker::plain_model(1)))
    for (std::size_t part = 0; const emu::TimelineBar &bar : of_engine(*times, "to_host"))
      cut += std::string(bar.bytes / sizeof(float), name_of(part++));
  checker::note("A river in 72 hours, when it rises fast (^) or falls (v), and by which of five "
                "parts you know:" +
                text + cut);
}
