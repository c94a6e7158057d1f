// Checks copy_by_four.cu: every tail, nothing past the end, and 16 bytes per lane.
#include "checker/nasty.hpp"

#include <cmath>

__global__ void copy(const float *in, int n, float *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<float>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  const int threads = (n + 3) / 4;
  const int grid = threads > 0 ? (threads + block - 1) / block : 1;

  const std::string what = checker::counted(n, "float");
  auto seen = checker::observe(what, [&] {
    copy<<<grid, block>>>(d_in.data(), n, d_out.data());
    LAB_CHECK_LAUNCH();
  });
  const auto got = d_out.download();
  const int whole = n / 4 * 4; // up to here there are float4
  bool tail_missing = whole < n;
  for (int i = 0; i < n; ++i)
    tail_missing = tail_missing && (i < whole ? got[i] == h_in[i] : std::isnan(got[i]));
  checker::diagnose("tail_dropped",
                    tail_missing,
                    what + ": nobody has copied " + checker::counted(n - whole, "float") +
                        " at the end, too few for a float4");
  checker::expect_same_bits("copy of " + what, got, h_in);
  checker::expect_same("input of " + what + ", which must stay", d_in.download(), h_in);
  return seen;
}

} // namespace

TEST_CASE("whole float4") {
  for (int n : {4, 256, 1024})
    check(n, 64);
}

TEST_CASE("every tail") {
  for (int n : {1, 2, 3, 5, 6, 7, 253, 254, 255, 257, 258, 259, 1021, 1022, 1023})
    check(n, 64);
}

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 64);
}

TEST_CASE("sixteen bytes per lane") {
  const auto seen = check(4096, 1024); // one block of 32 warps
  if (!seen) { // no counts on a GPU, but time: a gigabyte each way is far more than the caches hold
    const int n = 1 << 28;
    const lab::DeviceBuffer<float> d_in(n), d_out(n);
    LAB_CHECK(cudaMemset(d_in.data(), 0x3F, d_in.bytes()));
    checker::expect_bandwidth(2.0 * static_cast<double>(d_in.bytes()),
                              lab::Ceiling::copy,
                              0.85,
                              [&] { copy<<<n / 4 / 256, 256>>>(d_in.data(), n, d_out.data()); });
    return;
  }
  const auto loads = checker::total(*seen, emu::Access::global_load);
  const auto stores = checker::total(*seen, emu::Access::global_store);
  const std::string text =
      "4096 floats are 32 requests of a warp whose lanes move 16 bytes each, and "
      "128 if they move 4";
  checker::expect_at_most("global_load.requests", loads.requests, 32.0, "narrow", text);
  checker::expect_at_most("global_store.requests", stores.requests, 32.0, "narrow", text);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}
