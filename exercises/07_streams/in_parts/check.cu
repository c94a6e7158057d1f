// Checks in_parts.cu: the values, for any number of parts, and how much of the work overlaps.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
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

/// Whether nothing is wrong but the last hour of parts, and at least one of these is.
bool only_ends_wrong(const std::vector<float> &got, const std::vector<float> &expected, int whole) {
  bool any = false;
  for (int i = 0, n = static_cast<int>(got.size()); i < n; ++i)
    if (!same(got[i], expected[i])) {
      if (i % whole != whole - 1 && i != n - 1)
        return false;
      any = true;
    }
  return any;
}

/// @return what was seen; `returned` is then when in_parts() returned
std::optional<emu::Observation>
check(int n, int parts, int stream_count, const checker::HostMark *returned = nullptr) {
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
  const int whole = (n + parts - 1) / parts, filled = n > 0 ? (n + whole - 1) / whole : 0;
  const std::string empty_parts =
      "n is " + std::to_string(n) + ", so that " +
      (filled == 0   ? "no part has"
       : filled == 1 ? "only the first part has"
                     : "only the first " + std::to_string(filled) + " parts have") +
      " any hours: part " + std::to_string(filled) + " would begin at " +
      std::to_string(filled * whole) + ", behind the end";
  const int left = n - (filled - 1) * whole; // for the last part
  checker::perhaps(parts > filled ? empty_parts
                   : left < whole ? "The last part begins at " + std::to_string(n - left) +
                                        " and has what is left, " + std::to_string(left) +
                                        " hours. A pointer to float moves by floats, not by "
                                        "bytes, and a copy counts bytes"
                                  : "A pointer to float moves by floats, not by bytes, and a copy "
                                    "counts bytes",
                   "out_of_bounds");
  if (parts == 1)
    checker::perhaps("The kernel reads one level more than it is told of hours. How many hours are "
                     "that here? The levels are " +
                         std::to_string(n + 1),
                     "out_of_bounds",
                     "read of levels[" + std::to_string(n + 1) + "]");
  if (parts > 1) {
    checker::perhaps(
        "The copies of two parts write to the same place. If that is the level between "
        "them: both need it, and `d_levels` has room for it in each of them. If not: "
        "does each copy begin at its part?",
        "stream_race",
        "writes what cudaMemcpyAsync to the device");
    checker::perhaps(
        "A part's kernel reads what another part's copy brings. Does it begin where its own "
        "part's copy begins? Then look at the level between two parts: both need it, and "
        "`d_levels` has room for it in each of them",
        "stream_race",
        "reads what cudaMemcpyAsync to the device");
    checker::perhaps(
        "A part's copy back is in the stream of its kernel, and brings what this kernel has "
        "made, no more",
        "stream_race",
        "cudaMemcpyAsync to the host (");
    checker::perhaps("The copies back of two parts write to the same place of h_out. Each part's "
                     "rises belong where its first hour is",
                     "stream_race",
                     "writes what cudaMemcpyAsync to the host");
    checker::perhaps("Is each of a part's three calls in its stream, the launch by its fourth "
                     "argument, and does each begin at this part? Then look at the level between "
                     "two parts: both need it, and `d_levels` has room for it in each of them",
                     "stream_race");
  }
  bool free_to_go = true;
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    checker::LateStreams late(own.streams, 200);
    in_parts(h_levels.data(),
             n,
             d_levels.data(),
             d_out.data(),
             h_out.data(),
             parts,
             own.streams.data(),
             stream_count);
    error = cudaGetLastError();
    if (returned)
      returned->here();
    free_to_go = late.let_go();
  });
  const bool no_blocks =
      seen && seen->failed_call && seen->failed_call->launch.starts_with("<<<(0");
  checker::expect(error == cudaSuccess,
                  "cuda_error",
                  what + ": one of the calls was refused with " + cudaGetErrorName(error) +
                      (error == cudaErrorInvalidResourceHandle
                           ? ". Is it one of the streams? They are streams[0] to streams[" +
                                 std::to_string(stream_count - 1) +
                                 "], and there may be more parts than that: they take turns"
                       : parts > filled ? ". " + empty_parts
                       : no_blocks      ? ". A number of blocks has to be rounded up"
                                        : ""));
  const std::vector<float> got(h_out.begin(), h_out.end());
  std::vector<float> expected;
  for (int i = 0; i < n; ++i)
    expected.push_back(levels[i + 1] - levels[i]);
  if (seen && seen->kernels.size() == 1 && parts == 1) {
    const emu::KernelReport &kernel = seen->kernels[0];
    const int threads = static_cast<int>(kernel.grid[0] * kernel.block[0]);
    checker::diagnose("threads_missing",
                      threads < n - 1 && !same(got[threads], expected[threads]) &&
                          std::equal(got.begin(), got.begin() + threads, expected.begin(), same),
                      what + ": nobody has worked out the last " +
                          checker::counted(n - threads, "hour") + ", as " +
                          checker::counted(kernel.grid[0], "block") + " of " +
                          std::to_string(kernel.block[0]) +
                          " threads are too few. A number of blocks has to be rounded up");
  }
  const int done_parts = n / parts * parts;
  checker::diagnose("tail_missing",
                    done_parts < n && got[n - 1] == nothing &&
                        (done_parts == 0 || got[done_parts - 1] != nothing),
                    what + ": nobody has done " + checker::counted(n - done_parts, "hour") +
                        " at the end, what is left when n is divided by the number of parts");
  checker::diagnose("bytes_forgotten",
                    parts == 1 && n > 4 && got[0] != nothing && got[(n + 3) / 4 - 1] != nothing &&
                        got[(n + 3) / 4] == nothing,
                    what + ": a quarter of the rises is there, as many as n bytes have: a float "
                           "has 4, and a copy counts bytes");
  const int done = static_cast<int>(std::ranges::find(got, nothing) - got.begin());
  checker::diagnose(
      "first_part_only",
      n >= parts && done >= whole && done < n && done % whole == 0 &&
          std::all_of(got.begin() + done, got.end(), [](float v) { return v == nothing; }),
      what +
          (done == whole ? ": part 0 is"
                         : ": parts 0 to " + std::to_string(done / whole - 1) + " are") +
          " done, and nobody does those behind them. There may be more parts than "
          "streams: they take turns");
  checker::diagnose("end_of_a_part",
                    only_ends_wrong(got, expected, whole),
                    what + ": a part's last rise is wrong, and all others are right. For that one "
                           "the kernel reads one level more than the part has hours. Which copy "
                           "brings it?");
  const auto untouched = std::ranges::count(got, nothing);
  const int first_missing = static_cast<int>(std::ranges::find(got, nothing) - got.begin());
  checker::diagnose(
      "hours_missing",
      untouched > 0 && std::ranges::equal(got,
                                          expected,
                                          [](float had, float wanted) {
                                            return had == nothing || same(had, wanted);
                                          }),
      what + ": " + checker::counted(untouched, "hour") + ", from number " +
          std::to_string(first_missing) +
          " on, have not come back: h_out holds there what it held before" +
          (first_missing != n - left ? ""
           : left < whole            ? ". That is the last part, which is shorter than the others"
                          : ". That is the last part. Hours come out even here, so that it is as "
                            "long as any other: how many has it by your reckoning?"));
  checker::expect_same("result of " + what, got, expected);
  checker::expect(free_to_go,
                  "host_waits",
                  what +
                      ": the result is right, but the function returns only when the work is done");
  return seen;
}

/// How many copies to the device a stream is given before its first kernel: of any stream, the most.
long copies_before_first_kernel(const emu::Timeline &times) {
  std::map<std::string, long> copies; // of each stream so far
  std::set<std::string> begun; // the streams that have had a kernel
  long most = 0;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.engine == "to_device")
      ++copies[bar.lane];
    else if (bar.kind == "kernel" && begun.insert(bar.lane).second)
      most = std::max(most, copies[bar.lane]);
  return most;
}

/// A line for each of the three stages: which part is in it, five characters for a part's time.
std::string on_their_way(const emu::Timeline &times, double part_us) {
  std::string lines;
  for (const char *engine : {"to_device", "sms", "to_host"}) {
    std::string line;
    int part = 0;
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.engine == engine && bar.end_us - bar.begin_us > part_us / 2) {
        line.resize(std::lround(5 * bar.begin_us / part_us), '.');
        line.resize(std::lround(5 * bar.end_us / part_us), static_cast<char>('0' + part++));
      }
    lines += std::string("\n  ") +
             (engine[0] == 's'   ? "kernel "
              : engine[3] == 'd' ? "there  "
                                 : "back   ") +
             line.substr(0, 65);
  }
  return lines;
}

/// The first two parts in a row whose kernels are in one stream, in words; or nothing.
std::string parts_in_one_stream(const emu::Timeline &times) {
  std::string before;
  int part = 0;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel") {
      if (bar.lane == before)
        return "parts " + std::to_string(part - 1) + " and " + std::to_string(part) +
               " are in one stream; they were to take turns";
      before = bar.lane;
      ++part;
    }
  return "";
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

TEST_CASE("there, kernel and back overlap") {
  checker::unless_failed_before();
  constexpr int n = 1 << 16, parts = 8, stream_count = 4; // which divides a part's hours
  constexpr double part_us = n / parts * sizeof(float) / 1e3; // there, back, and for its kernel
  const checker::HostMark returned;
  const auto seen = check(n, parts, stream_count, &returned);
  if (!seen)
    return;
  const auto times = *checker::timeline(checker::plain_model(part_us));
  checker::expect(
      returned.us(times) <= 0,
      "host_waits",
      "the result is right, but the host waits on the way. It has nothing to wait for: what "
      "has to come one after the other is in one stream");
  std::set<std::string> used;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel")
      used.insert(bar.lane);
  const std::uint64_t back = checker::bytes_copied(times, "to_host");
  checker::expect(back >= n * sizeof(float),
                  "not_copied_back",
                  "the result is right, but copies have brought only " + std::to_string(back) +
                      " bytes of it back: who has written the others?");
  checker::expect(checker::most_at_once(times) > 1,
                  "no_overlap",
                  std::string("8 parts in 4 streams: at no time do two operations run at once") +
                      (used.size() == 1 ? ", as all are in one stream" : ""));
  const long waited_for = copies_before_first_kernel(times);
  const std::string neighbours = parts_in_one_stream(times);
  checker::expect_at_most(
      "part_times",
      std::round(10 * times.total_us / part_us) / 10,
      parts + 3, // one for who brings no level twice, and lets kernels wait for the next part
      "little_overlap",
      "there, kernel and back take the same time for each part, and three parts can be on "
      "their way at once: the last of 8 arrives after 8 parts' time, its kernel and its "
      "way back are two more" +
          (waited_for > 1 ? ". But in one of the streams " + std::to_string(waited_for) +
                                " parts' copies stand before the first kernel, which waits for "
                                "all of them"
           : neighbours.empty() ? ""
                                : ". But " + neighbours));
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  checker::note("Your eight parts on their way, by their numbers:" + on_their_way(times, part_us));
  if (check(n, parts, 2))
    checker::record(
        "part_times_of_two_streams",
        std::round(checker::timeline(checker::plain_model(part_us))->total_us / part_us));
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
  checker::unobserved([&] {
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
  checker::note(
      "A river in 72 hours, and when it rises fast (^) or falls (v), by five parts of yours:" +
      text);
}
