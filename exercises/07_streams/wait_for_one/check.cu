// Checks wait_for_one.cu: the total, and for what the host waits.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

long long
total(const int *d_in, int n, int count, int *d_sums, int *h_sums, const cudaStream_t *streams);

namespace {

constexpr double kernel_us = 10;

/// @param busy  others are running something long
void check(int n, int count, bool busy, int low = -999, int high = 999) {
  const checker::Streams own(count), other(1);
  const cudaStream_t others = other.streams[0];
  checker::name_streams(own.streams, "streams[#]");
  const auto h_in = checker::random_values<int>(static_cast<std::size_t>(n) * count, low, high);
  const auto d_in = checker::on_device(h_in);
  const auto d_sums = checker::poisoned<int>(count);
  lab::PinnedBuffer<int> h_sums(count);
  std::fill(h_sums.begin(), h_sums.end(), 123456789);
  const checker::LongCopy of_others(1000);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  long long expected = 0, got = 0;
  for (int value : h_in)
    expected += value;
  const std::string what = checker::counted(count, "sum") + " of " +
                           checker::elements(n, "number") + (busy ? " beside what others do" : "");
  bool left_others_alone = true;
  const auto seen = checker::observe(what, [&] {
    std::vector<checker::Late> late_ones;
    if (busy)
      late_ones.push_back({others, 400});
    // Whoever does not wait, or only for the last one, reads too early.
    for (int k = 0; k < count; ++k)
      late_ones.push_back({own.streams[k], 20.0 + 5.0 * (count - k)});
    checker::LateStreams late(late_ones);
    if (busy)
      of_others.in(others);
    got = total(d_in.data(), n, count, d_sums.data(), h_sums.data(), own.streams.data());
    LAB_CHECK_LAUNCH();
    returned.here();
    left_others_alone = late.let_go() || !busy;
  });
  checker::diagnose(
      "total_overflows",
      got != expected && got == static_cast<int>(static_cast<unsigned>(expected)),
      what + ": the total, " + std::to_string(expected) +
          ", is more than an int can hold, and was added up in one. Each sum fits; all "
          "of them need the long long that the function returns");
  checker::diagnose("added_too_early",
                    expected != 0 && got == 0,
                    what + ": nothing was added. A sum is there when the host has waited for its "
                           "stream, or for an event behind its copy; a question makes nobody wait");
  checker::expect_same("total of " + what, got, expected);
  double kernel_times = 1;
  std::string apart;
  if (seen) {
    std::uint64_t launches = 0;
    for (const emu::KernelReport &kernel : seen->kernels)
      launches += kernel.launches;
    checker::expect(n == 0 || launches == static_cast<std::uint64_t>(count),
                    "not_a_kernel_each",
                    what + ": the total is right, but kernels were launched " +
                        (launches == 1 ? "once" : std::to_string(launches) + " times") +
                        ". Each sum has a stream and a kernel of its own");
    const auto times = *checker::timeline(checker::plain_model(kernel_us));
    left_others_alone = !busy || returned.us(times) < of_others.us();
    kernel_times = std::round(returned.us(times) / kernel_us);
    apart = checker::kept_apart_by(times);
  }
  checker::expect(left_others_alone,
                  "waits_for_others",
                  what + ": the total is right, but it comes only when what others do is done, "
                         "which has nothing to do with it");
  if (seen)
    checker::expect_at_most(
        "kernel_times",
        kernel_times,
        1,
        "one_after_the_other",
        what + ": kernels that fit on the device all at once ran one after another" +
            (apart.empty() ? "" : ", as " + apart));
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 3, false);
}

TEST_CASE("one stream, and many") {
  check(500, 1, false);
  check(500, 7, false);
  check(3, 40, false);
}

TEST_CASE("more than an int can hold") {
  check(1000, 4, false, 1'900'000, 2'000'000);
  check(1, 3, false, INT_MAX, INT_MAX);
  check(1, 3, false, INT_MIN, INT_MIN);
}

TEST_CASE("others are at work, too") { check(1000, 4, true); }
