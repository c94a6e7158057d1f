// Checks dead_buffer.cu: the results, and how many blocks a multiprocessor holds.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

std::size_t shared_bytes();
__global__ void gaps(const int *x, const int *y, int records, int *out);

namespace {

constexpr int threads = 128, length = 33;

std::optional<emu::Observation> check(int records) {
  const std::size_t n = static_cast<std::size_t>(records) * length;
  const auto h_x = checker::random_values<int>(n, -1'000'000'000, -900'000'000);
  const auto h_y = checker::random_values<int>(n, 900'000'000, 1'000'000'000);
  const auto end = [](const std::vector<int> &of, int record) {
    return of.begin() + (record + 1) * length;
  };
  std::vector<int> expected(records), both_y(records), both_x(records);
  for (int r = 0; r < records; ++r) {
    const auto [low_x, high_x] = std::minmax_element(end(h_x, r - 1), end(h_x, r));
    const auto [low_y, high_y] = std::minmax_element(end(h_y, r - 1), end(h_y, r));
    expected[r] = *high_x - *low_y;
    both_x[r] = *high_x - *low_x;
    both_y[r] = *high_y - *low_y;
  }
  const auto d_x = checker::on_device(h_x), d_y = checker::on_device(h_y);
  const auto d_out = checker::poisoned<int>(records);
  const std::string what = std::to_string(records) + " records";
  auto seen = checker::launch(what, [&] {
    gaps<<<checker::enough_blocks(records, threads), threads, shared_bytes()>>>(
        d_x.data(), d_y.data(), records, d_out.data());
  });
  const auto got = d_out.download();
  checker::diagnose("overwritten",
                    records > 0 && got != expected && (got == both_y || got == both_x),
                    what +
                        ": largest and smallest come from the same array. The buffer is free when "
                        "all have read what is in there, not before");
  checker::expect_same("results of " + what, got, expected);
  return seen;
}

int blocks_that_fit(std::size_t bytes) {
  int blocks = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gaps, threads, bytes));
  return blocks;
}

} // namespace

TEST_CASE("every size") {
  for (int records : {128, 127, 129, 33, 32, 31, 1, 0, 300})
    check(records);
}

TEST_CASE("loads are coalesced") {
  const auto seen = check(256);
  if (seen)
    checker::expect_cost_at_most(
        *seen,
        emu::Access::global_load,
        4.1,
        "uncoalesced",
        "the results are right, but a load of a warp should need 4 sectors: "
        "neighbours have to load "
        "neighbouring numbers, and records are read from shared memory");
  if (seen)
    checker::expect_lanes(*seen, emu::Access::shared_load, 30.0);
}

TEST_CASE("a year in the desert") {
  constexpr int days = 74, degrees = 36; // every fifth day
  checker::unless_failed_before();
  checker::unobserved([] {
    auto h_x = checker::random_values<int>(days * length, -10, 0);
    auto h_y = checker::random_values<int>(days * length, 0, 10);
    const auto clouds = checker::random_values<int>(days, 0, 6);
    for (int k = 0; k < days * length; ++k) {
      const double summer = 1 - std::cos(6.2832 * (k / length) / days);
      h_x[k] += 20 + static_cast<int>(10 * summer) - clouds[k / length];
      h_y[k] += 4 + static_cast<int>(2 * summer);
    }
    const auto d_x = checker::on_device(h_x), d_y = checker::on_device(h_y);
    const auto d_out = checker::poisoned<int>(days);
    gaps<<<1, threads, shared_bytes()>>>(d_x.data(), d_y.data(), days, d_out.data());
    const auto gap = d_out.download();
    std::vector<bool> cells;
    for (int degree = degrees; degree > 0; degree -= 2)
      for (int day = 0; day < days; ++day)
        cells.push_back(gap[day] >= degree);
    checker::note(
        "A year in the desert, by how many degrees each night is colder than its day. Your block "
        "had one buffer for both:" +
        checker::picture(cells, days));
  });
}

TEST_CASE("more blocks fit") {
  const std::size_t enough = threads * length * sizeof(int);
  checker::expect_at_least(
      "blocks_per_multiprocessor",
      blocks_that_fit(shared_bytes()),
      blocks_that_fit(enough),
      "too_much_shared",
      "the results are right, but the " + std::to_string(shared_bytes()) +
          " bytes of shared memory of a block allow too few of them. One buffer of " +
          std::to_string(enough) + " bytes can hold first the one records, then the others");
  checker::record("warps_with_10_kilobytes", std::min(64, 228 / (10 + 1) * threads / 32));
  cudaFuncAttributes kernel;
  LAB_CHECK(cudaFuncGetAttributes(&kernel, gaps));
  const auto line = [](std::size_t bytes, const char *block) {
    std::string text;
    for (int k = blocks_that_fit(bytes); k > 0; --k)
      text += block;
    return text;
  };
  checker::note(
      "What a multiprocessor holds, a # for each buffer. Before, and with your kernel:\n" +
      line(2 * enough - std::min(2 * enough, kernel.sharedSizeBytes), "[##]") + "\n" +
      line(shared_bytes(), "[#]"));
}
