// Checks send_ahead.cu: the values, where the pages were sent, and that nobody had to wait for one.
#include "checker/nasty.hpp"
#include "managed.hpp"

cudaError_t run_axpy(float a, const float *x, float *y, int n);

namespace {

// Ten pages for each vector; on a GPU some MiB, because smaller ones may lie together in what moves at once.
const int enough = lab::on_emulator() ? 10240 : 1 << 20;

std::optional<emu::Observation> check(int n) {
  const auto h_x = checker::extreme_values<float>(n);
  const auto h_y = checker::random_values<float>(n, -1.0f, 1.0f);
  const Managed<float> x(h_x), y(h_y);
  std::vector<float> expected(n), got(n);
  for (int i = 0; i < n; ++i)
    expected[i] = h_y[i] + 0.5f * h_x[i]; // half of a float is exact: one rounding
  const std::string what = checker::counted(n, "element");
  cudaError_t error = cudaSuccess;
  const auto seen = checker::observe(what, [&] {
    error = run_axpy(0.5f, x.data(), y.data(), n);
    for (int i = 0; i < n; ++i)
      got[i] = y.data()[i];
  });
  const cudaError_t left = cudaGetLastError();
  error = error != cudaSuccess ? error : left;
  checker::expect(error == cudaSuccess,
                  "cuda_error",
                  what + ": " + cudaGetErrorName(error) +
                      (n == 0 ? ". CUDA refuses to prefetch no bytes at all"
                       : error == cudaErrorInvalidValue
                           ? ". A vector has n * sizeof(float) bytes, and sizeof of a pointer is "
                             "8, whatever it points to"
                           : ""));
  checker::expect_same("y of " + what, got, expected);
  checker::expect_same("x of " + what + ", which nobody should change", x.values(), h_x);
  if (n >= enough && pages_move()) {
    const bool x_was_there = seen && seen->total_pages().kernel_faults == 0;
    checker::expect(!x_was_there || x.last_prefetch() != cudaCpuDeviceId,
                    "sent_for_nothing",
                    what + ": x was sent back to the host, too, which does not read it again");
    checker::expect(x.last_prefetch() == 0,
                    "x_not_sent",
                    what + ": x, or a part of it, was not sent to the device last");
    checker::expect(y.last_prefetch() == cudaCpuDeviceId,
                    "y_not_sent_back",
                    what + ": y, or a part of it, was not sent to the host last");
  }
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("nobody waits for a page") {
  const auto seen = check(enough);
  if (!seen)
    return;
  const emu::PageCounts pages = seen->total_pages();
  checker::expect(
      pages.kernel_faults % 10 == 0 || pages.sent_to_device == 0,
      "part_left_behind",
      "of one vector some pages were sent ahead, and for others the kernel had to wait. A "
      "size is counted in bytes: n floats have n * sizeof(float)");
  checker::expect(
      pages.kernel_faults == 0 || pages.sent_to_device < 20 || pages.sent_to_host == 0,
      "sent_back_too_early",
      "all pages were sent to the device, and the kernel waited for some, which were on "
      "the host again. What is sent back is sent behind the kernel");
  checker::expect_at_most("pages.kernel_faults",
                          static_cast<double>(pages.kernel_faults),
                          0.0,
                          "kernel_waits",
                          std::string("the kernel waited for pages ") +
                              (pages.kernel_faults > 10 ? "" : "of y ") + // x was sent, see check()
                              "that were not there when it began: whatever it reads or writes is "
                              "sent ahead of the launch");
  checker::expect_at_most("pages.sent_to_device",
                          static_cast<double>(pages.sent_to_device),
                          20.0,
                          "sent_for_nothing",
                          "more pages went to the device than x and y have");
  checker::expect_at_most("pages.sent_to_host",
                          static_cast<double>(pages.sent_to_host),
                          10.0,
                          "sent_for_nothing",
                          "the host reads y only; what else was sent back?");
}
