// Checks two_arrays.cu: two arrays that keep apart, aligned, big enough, and beyond 48 KB.
#include "checker/nasty.hpp"

#include <utility>

void reorder_blocks(const unsigned long long *d_values,
                    const unsigned short *d_places,
                    int m,
                    int blocks,
                    unsigned long long *d_out);

namespace {

/// 0 … m - 1 in some order, for each block.
std::vector<unsigned short> shuffled(int m, int blocks) {
  std::vector<unsigned short> places;
  for (int i = 0; i < m * blocks; ++i)
    places.push_back(static_cast<unsigned short>(i % m));
  const auto picks = checker::random_values<unsigned>(places.size(), 0, 1u << 30);
  for (int block = 0; block < blocks; ++block)
    for (int i = m - 1; i > 0; --i)
      std::swap(places[block * m + i], places[block * m + picks[block * m + i] % (i + 1)]);
  return places;
}

std::optional<emu::Observation> check(int m, int blocks) {
  const std::size_t n = static_cast<std::size_t>(m) * blocks;
  const auto halves = checker::random_values<unsigned>(2 * n, 0, ~0u);
  const auto h_places = shuffled(m, blocks);
  std::vector<unsigned long long> h_values, expected;
  for (std::size_t i = 0; i < n; ++i)
    h_values.push_back(static_cast<unsigned long long>(halves[2 * i]) << 32 | halves[2 * i + 1]);
  for (std::size_t i = 0; i < n; ++i)
    expected.push_back(h_values[i / m * m + h_places[i]]);
  const auto d_values = checker::on_device(h_values);
  const auto d_places = checker::on_device(h_places);
  const auto d_out = checker::poisoned<unsigned long long>(n);

  const std::string what = checker::counted(m, "value") + " per block";
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    reorder_blocks(d_values.data(), d_places.data(), m, blocks, d_out.data());
    error = cudaGetLastError();
    checker::expect(error == cudaSuccess,
                    m * 10 > 48 * 1024 ? "no_opt_in" : "cuda_error",
                    what + ", that is " + std::to_string(m * 10) +
                        " bytes: the launch was refused, " + cudaGetErrorName(error) +
                        ". The kernel has not run at all");
    LAB_CHECK(cudaDeviceSynchronize());
  });
  checker::expect_same(what, d_out.download(), expected);
  return seen;
}

} // namespace

TEST_CASE("a few") {
  check(64, 1);
  check(1024, 2);
}

TEST_CASE("an odd number") {
  for (int m : {1, 3, 33, 127, 1023})
    check(m, 2);
}

TEST_CASE("just 48 KB") { check(4915, 1); }

TEST_CASE("more than 48 KB") {
  check(4916, 1);
  check(6001, 1);
}

TEST_CASE("more than 48 KB, on a device that has less of it") {
  const checker::PlayedDevice smaller("rtx3060");
  check(6001, 1);
}

TEST_CASE("much less after much more") {
  check(5999, 1);
  check(10, 1);
}

TEST_CASE("what fits") {
  const auto seen = check(256, 3);
  if (seen)
    checker::expect_shared_used(
        *seen,
        emu::Access::shared_load, // what cp.async stores there is not among the requests
        16.0,
        "256 values and 256 places are 8 requests each to read them from shared "
        "memory");
  int limit = 0;
  LAB_CHECK(
      cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlock, lab::choose_device().id));
  checker::record("values_without_opting_in", limit / 10);
}
