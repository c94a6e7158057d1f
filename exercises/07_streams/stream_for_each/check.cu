// Checks stream_for_each.cu: the squares, that all rows run at the same time, and that no stream is left behind.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <cmath>

void square_rows(int *d_table, int rows, int n);

namespace {

constexpr double kernel_us = 10;

/// @return after how many kernels' time all rows are squared, where that can be told
std::optional<double> check(int rows, int n, int calls = 1) {
  const auto h_in = checker::random_values<int>(static_cast<std::size_t>(rows) * n, -3, 3);
  const auto d_table = checker::on_device(h_in);
  std::vector<int> expected = h_in;
  for (int call = 0; call < calls; ++call)
    for (int &value : expected)
      value *= value;
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(rows, "row") + " of " + checker::elements(n, "number") +
                           (calls > 1 ? ", " + std::to_string(calls) + " times" : "");
  std::vector<int> got(expected.size());
  checker::perhaps(
      "When square_rows() returns, all rows have to be squared: launch each in its stream, which "
      "is the fourth argument, and wait for this very one, not for another or the default stream. "
      "To destroy it is not to wait for it",
      "stream_race");
  const auto seen = checker::observe(what, [&] {
    for (int call = 0; call < calls; ++call)
      square_rows(d_table.data(), rows, n);
    LAB_CHECK_LAUNCH();
    returned.here();
    const checker::Streams reader(1); // which waits for nobody
    if (!got.empty())
      LAB_CHECK(cudaMemcpyAsync(got.data(),
                                d_table.data(),
                                got.size() * sizeof(int),
                                cudaMemcpyDeviceToHost,
                                reader.streams[0]));
    LAB_CHECK(cudaDeviceSynchronize());
  });
  checker::expect_same("squares of " + what, got, expected);
  if (!seen)
    return std::nullopt;
  std::uint64_t launches = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    launches += kernel.launches;
  checker::expect(n == 0 || launches == static_cast<std::uint64_t>(rows) * calls,
                  "not_a_kernel_each",
                  what + ": the squares are right, by " +
                      (launches == 1 ? "1 launch" : std::to_string(launches) + " launches") +
                      ". Each row has a kernel and a stream of its own");
  checker::expect(!seen->find("leak"),
                  "left_behind",
                  what + ": the squares are right, but a stream is left behind");
  return std::round(returned.us(*checker::timeline(checker::plain_model(kernel_us))) / kernel_us);
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(3, n);
}

TEST_CASE("no row, and one") {
  check(0, 100);
  check(1, 100);
}

TEST_CASE("call after call") { check(5, 1000, 3); }

TEST_CASE("forty rows at the same time") {
  const auto kernel_times = check(40, 1000);
  if (!kernel_times)
    return;
  const std::string apart =
      checker::kept_apart_by(*checker::timeline(checker::plain_model(kernel_us)));
  checker::expect_at_most("kernel_times",
                          *kernel_times,
                          1,
                          "one_after_the_other",
                          "40 rows: the squares are right, but they took the time of " +
                              std::to_string(static_cast<int>(*kernel_times)) +
                              " kernels, one after another" +
                              (apart.empty() ? "" : ", as " + apart) +
                              ". All 40 fit on the device at once, in the time of one");
}
