// Checks send_ahead.cu: the values, where the pages were sent, and that nobody had to wait for one.
#include "checker/nasty.hpp"
#include "managed.hpp"

cudaError_t run_slope(const float *x, float *y, int n, int first, int count);

namespace {

// Numbers of a page; on a GPU of what moves at once, so that each is known to be sent or not.
const int page = lab::on_emulator() ? 1024 : 1 << 19;

std::optional<emu::Observation> check(int n, int first, int count) {
  const auto h_x = checker::extreme_values<float>(n);
  const auto h_y = checker::random_values<float>(n, -1.0f, 1.0f);
  const Managed<float> x(h_x), y(h_y);
  std::vector<float> expected = h_y, got(n);
  for (int i = first; i < first + count; ++i)
    expected[i] = 0.5f * (h_x[i + 1] - h_x[i - 1]);
  const std::string what = "a window of " + checker::elements(count, "number") + " from x[" +
                           std::to_string(first) + "] on";
  cudaError_t error = cudaSuccess;
  const auto seen = checker::observe(what, [&] {
    error = run_slope(x.data(), y.data(), n, first, count);
    for (int i = 0; i < n; ++i)
      got[i] = y.data()[i];
  });
  const cudaError_t left = cudaGetLastError();
  error = error != cudaSuccess ? error : left;
  checker::expect(
      error == cudaSuccess,
      "cuda_error",
      what + ": " + cudaGetErrorName(error) +
          (count == 0 ? ". CUDA refuses to prefetch no bytes at all"
           : error == cudaErrorInvalidValue
               ? ". Do all of these bytes lie in one vector? It has n * sizeof(float), sizeof of a "
                 "pointer is 8, and a pointer to float moves by floats"
               : ""));
  checker::expect_same("y of " + what, got, expected);
  checker::expect_same("x of " + what + ", which nobody should change", x.values(), h_x);
  if (count >= page && pages_move()) {
    const bool x_was_there = seen && seen->total_pages().kernel_faults == 0;
    const int x_went = x.last_prefetch(first, count);
    checker::expect(!x_was_there || x_went != cudaCpuDeviceId,
                    "sent_for_nothing",
                    what + ": x was sent back to the host, too, which does not read it again");
    checker::expect(x_went == 0,
                    "x_not_sent",
                    what + ": x, or a part of its window, was not sent to the device last");
    checker::expect(y.last_prefetch(first, count) == cudaCpuDeviceId,
                    "y_not_sent_back",
                    what + ": y, or a part of its window, was not sent to the host last");
  }
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int count : checker::sizes())
    check(count + 500, 400, count);
}

TEST_CASE("nobody waits for a page") {
  constexpr int pages_of_window = 5;
  const auto seen = check(10 * page, 3 * page, pages_of_window * page);
  if (!seen)
    return;
  const emu::PageCounts pages = seen->total_pages();
  checker::expect(pages.kernel_faults == 0 || pages.kernel_faults > 2,
                  "neighbours_left_behind",
                  "the kernel waited for " +
                      checker::counted(static_cast<long long>(pages.kernel_faults), "page") +
                      " of x: at the window's ends it reads x[first - 1] and x[first + count], and "
                      "here they lie in pages of their own");
  checker::expect(
      pages.kernel_faults % pages_of_window == 0 || pages.sent_to_device == 0,
      "part_left_behind",
      "some pages of the window were sent ahead, and for others the kernel had to wait. "
      "A size is counted in bytes, n floats have n * sizeof(float), and the window "
      "begins at `first`");
  checker::expect(
      pages.kernel_faults == 0 || pages.sent_to_device < 10 || pages.sent_to_host == 0,
      "sent_back_too_early",
      "all pages were sent to the device, and the kernel waited for some, which were on "
      "the host again. What is sent back is sent behind the kernel");
  checker::expect_at_most(
      "pages.kernel_faults",
      static_cast<double>(pages.kernel_faults),
      0.0,
      "kernel_waits",
      std::string("the kernel waited for pages ") +
          (pages.kernel_faults > pages_of_window ? "" : "of y ") + // x was sent, see check()
          "that were not there when it began: whatever it reads or writes is "
          "sent ahead of the launch");
  checker::expect_at_most(
      "pages.sent_to_device",
      static_cast<double>(pages.sent_to_device),
      2.0 * pages_of_window + 2,
      "sent_for_nothing",
      "more pages went to the device than the kernel touches: " + std::to_string(pages_of_window) +
          " of each window, and of x one more on either side");
  checker::expect_at_most("pages.sent_to_host",
                          static_cast<double>(pages.sent_to_host),
                          pages_of_window,
                          "sent_for_nothing",
                          "the host reads y only, and outside of the window it is there already; "
                          "what else was sent back?");
}
