// Checks nobody_waits.cu: the sum, and that the host touches nothing that a kernel still uses.
#include "managed.hpp"

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

struct Stream {
  cudaStream_t stream;
  Stream() { LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
};

void check(int parts, int n) {
  const auto numbers =
      checker::random_values<unsigned>(static_cast<size_t>(parts) * n, 1, 1u << 20);
  unsigned expected = 0;
  for (unsigned number : numbers)
    expected += number;
  const Managed<unsigned> buffer(n), sum(1);
  const Stream stream;
  unsigned got = 0;
  const std::string what = std::to_string(parts) + (parts == 1 ? " part of " : " parts of ") +
                           std::to_string(n) + " numbers";
  const auto seen = checker::observe(what, [&] {
    keep_busy<<<1, 1, 0, stream.stream>>>(lab::on_emulator() ? 1 : 20'000'000);
    LAB_CHECK_LAUNCH();
    got = sum_of_parts(numbers.data(), parts, n, buffer.data(), sum.data(), stream.stream);
  });
  checker::diagnose("read_too_early",
                    parts * n > 0 && got == 0,
                    what + ": the sum is 0: it was read before any kernel had added to it");
  checker::expect_same("the sum of " + what, got, expected);
  size_t launches = 0;
  if (seen)
    for (const emu::KernelReport &kernel : seen->kernels)
      launches += kernel.name == "add_up" ? kernel.launches : 0;
  checker::expect(!seen || launches == static_cast<size_t>(parts),
                  "kernel_not_launched",
                  what + ": add_up should be launched once for each part");
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

TEST_CASE("no part at all") { check(0, 100); }
