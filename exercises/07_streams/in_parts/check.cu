// Checks in_parts.cu: the values, for any number of parts, and how much of the work overlaps.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

void in_parts(const float *h_in,
              int n,
              float *d_values,
              float *h_out,
              int parts,
              const cudaStream_t *streams,
              int stream_count);

namespace {

/// @return what was seen; `returned` is then when in_parts() returned
std::optional<emu::Observation>
check(int n, int parts, int stream_count, const checker::HostMark *returned = nullptr) {
  constexpr float nothing = -1e6f;
  const checker::Streams own(stream_count);
  checker::name_streams(own.streams, "streams[#]");
  const auto values = checker::extreme_values<float>(n);
  lab::PinnedBuffer<float> h_in(n), h_out(n);
  std::ranges::copy(checker::goes_in(values), h_in.begin());
  std::fill(h_out.begin(), h_out.end(), nothing);
  const auto d_values = checker::poisoned<float>(n);
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(n, "number") + ", parts: " + std::to_string(parts) +
                           ", streams: " + std::to_string(stream_count);
  const int whole = (n + parts - 1) / parts, filled = n > 0 ? (n + whole - 1) / whole : 0;
  const std::string empty_parts =
      "n is " + std::to_string(n) + ", so that " +
      (filled == 0   ? "no part has"
       : filled == 1 ? "only the first part has"
                     : "only the first " + std::to_string(filled) + " parts have") +
      " any numbers: part " + std::to_string(filled) + " would begin at " +
      std::to_string(filled * whole) + ", behind the end";
  const int left = n - (filled - 1) * whole; // for the last part
  checker::perhaps(parts > filled ? empty_parts
                   : left < whole ? "The last part begins at " + std::to_string(n - left) +
                                        " and has what is left, " + std::to_string(left) +
                                        " numbers. A pointer to float moves by floats, not by "
                                        "bytes, and a copy counts bytes"
                                  : "A pointer to float moves by floats, not by bytes, and a copy "
                                    "counts bytes",
                   "out_of_bounds");
  if (parts > 1)
    checker::perhaps("No two parts share bytes, so one of these calls has another part's, or is "
                     "not in its part's stream: does each begin at `first`, and is the stream the "
                     "launch's fourth argument?",
                     "stream_race");
  bool free_to_go = true;
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    checker::LateStreams late(own.streams, 200);
    in_parts(
        h_in.data(), n, d_values.data(), h_out.data(), parts, own.streams.data(), stream_count);
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
  std::vector<float> expected(values);
  for (float &value : expected)
    value = value * value + 1.0f;
  if (seen && seen->kernels.size() == 1 && parts == 1) {
    const emu::KernelReport &kernel = seen->kernels[0];
    const int threads = static_cast<int>(kernel.grid[0] * kernel.block[0]);
    checker::diagnose(
        "threads_missing",
        threads < n && std::equal(values.begin() + threads, values.end(), got.begin() + threads),
        what + ": the last " + checker::counted(n - threads, "number") +
            " come back as they went in, as " + checker::counted(kernel.grid[0], "block") + " of " +
            std::to_string(kernel.block[0]) +
            " threads are too few. A number of blocks has to be rounded up");
  }
  const int done_parts = n / parts * parts;
  checker::diagnose("tail_missing",
                    done_parts < n && got[n - 1] == nothing &&
                        (done_parts == 0 || got[done_parts - 1] != nothing),
                    what + ": nobody has done " + checker::counted(n - done_parts, "number") +
                        " at the end, what is left when n is divided by the number of parts");
  checker::diagnose("bytes_forgotten",
                    parts == 1 && n > 4 && got[0] != nothing && got[(n + 3) / 4 - 1] != nothing &&
                        got[(n + 3) / 4] == nothing,
                    what + ": a quarter of the numbers is there, as many as n bytes have: a float "
                           "has 4, and a copy counts bytes");
  checker::diagnose("first_part_only",
                    n >= parts && got[0] != nothing && got[n - 1] == nothing,
                    what + ": the first numbers are there, the last ones are not");
  const lab::Tolerance fused{0.0, 1e-6}; // a GPU may make one operation of product and sum
  checker::expect_same("result of " + what, got, expected, fused);
  checker::expect(
      lab::compare(d_values.download(), expected, fused).ok,
      "not_on_the_device",
      what + ": h_out is right, but d_values does not hold the same: who has worked it out?");
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

} // namespace

TEST_CASE("one part") {
  for (int n : checker::sizes())
    check(n, 1, 1);
}

TEST_CASE("parts that do not come out even") {
  for (int n : checker::sizes())
    check(n, 5, 3);
}

TEST_CASE("as many streams as parts, more, or one") {
  check(1000, 4, 4);
  check(1000, 3, 8);
  check(1000, 6, 1);
  check(300, 40, 40);
}

TEST_CASE("there, kernel and back overlap") {
  constexpr int n = 1 << 16, parts = 8, stream_count = 4; // which divides a part's elements
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
  checker::expect_at_most(
      "part_times",
      std::round(10 * times.total_us / part_us) / 10,
      parts + 2,
      "little_overlap",
      "there, kernel and back take the same time for each part, and three parts can be on "
      "their way at once: the last of 8 arrives after 8 parts' time, its kernel and its "
      "way back are two more" +
          (waited_for > 1 ? ". But in one of the streams " + std::to_string(waited_for) +
                                " parts' copies stand before the first kernel, which waits for "
                                "all of them"
                          : std::string()));
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}
