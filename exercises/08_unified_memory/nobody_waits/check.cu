// Checks nobody_waits.cu: the sum, and that the host touches nothing that a kernel still uses.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"
#include "managed.hpp"

#include <algorithm>

unsigned sum_of_parts(const unsigned *numbers,
                      int parts,
                      int n,
                      unsigned *buffer,
                      unsigned *sum,
                      cudaStream_t stream);

namespace {

// Keeps a stream busy, so that what is queued behind it comes late enough for everybody to see.
__global__ void keep_busy(long long clocks) {
  for (const long long start = clock64(); clock64() - start < clocks;)
    continue;
}

/// @param busy  others are running something long
void check(int parts, int n, bool busy = false) {
  const auto numbers = checker::extreme_values<unsigned>(static_cast<size_t>(parts) * n);
  unsigned expected = 0;
  for (unsigned number : numbers)
    expected += number;
  const Managed<unsigned> buffer(n), sum(1);
  const checker::Streams both(2);
  const cudaStream_t stream = both.streams[0], others = both.streams[1];
  checker::name_stream(stream, "`stream`");
  const checker::LongCopy of_others(1000);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  unsigned got = 0;
  bool left_others_alone = true;
  const std::string what = checker::counted(parts, "part") + " of " +
                           checker::elements(n, "number") + (busy ? " beside what others do" : "");
  const auto seen = checker::observe(what, [&] {
    std::vector<checker::Late> late_ones;
    if (busy)
      late_ones.push_back({others, 400});
    checker::LateStreams late(late_ones);
    if (busy)
      of_others.in(others);
    keep_busy<<<1, 1, 0, stream>>>(lab::on_emulator() ? 1 : 20'000'000);
    LAB_CHECK_LAUNCH();
    got =
        sum_of_parts(checker::goes_in(numbers).data(), parts, n, buffer.data(), sum.data(), stream);
    returned.here();
    left_others_alone = late.let_go() || !busy;
  });
  checker::diagnose("read_too_early",
                    parts * n > 0 && got == 0,
                    what + ": the sum is 0: it was read before any kernel had added to it");
  checker::expect_same("the sum of " + what, got, expected);
  size_t launches = 0;
  bool one_warp = false;
  if (seen)
    for (const emu::KernelReport &kernel : seen->kernels)
      if (kernel.name == "add_up") {
        launches += kernel.launches;
        one_warp = one_warp || kernel.grid[0] * kernel.block[0] <= 32;
      }
  checker::expect(!seen || launches == static_cast<size_t>(parts),
                  "kernel_not_launched",
                  what + ": add_up should be launched once for each part");
  checker::expect(!one_warp,
                  "one_warp",
                  what + ": the sum is right, but add_up was launched with one warp at most. A "
                         "smaller launch makes no wait needless; leave the launch as it was");
  if (seen && busy)
    left_others_alone = returned.us(*checker::timeline(checker::plain_model(10))) < of_others.us();
  checker::expect(left_others_alone,
                  "waits_for_others",
                  what + ": the sum is right, but it comes only when what others do is done: "
                         "the host waits for the whole device. Its kernels are in one stream");
}

} // namespace

TEST_CASE("one part") {
  check(1, 100);
  check(1, 1000);
}

TEST_CASE("many parts") {
  check(7, 100);
  check(3, 1025);
}

TEST_CASE("others are at work, too") { check(3, 1000, true); }

TEST_CASE("no part at all") { check(0, 100); }
