// Checks copy_by_four.cu: every tail, nothing past the end, and 16 bytes per lane.
#include "checker/nasty.hpp"

__global__ void pairs(const float *a, const float *b, int n, float *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_a = checker::extreme_values<float>(n), h_b = checker::extreme_values<float>(n);
  const auto d_a = checker::on_device(h_a), d_b = checker::on_device(h_b);
  const auto d_out = checker::poisoned<float>(2 * n);
  std::vector<float> expected, not_mixed;
  for (int i = 0; i < n; ++i) {
    expected.insert(expected.end(), {h_a[i], h_b[i]});
    const bool of_four = i / 2 * 2 + 1 < n; // else a pair is alone
    not_mixed.push_back(of_four && i % 2 == 1 ? h_b[i - 1] : h_a[i]);
    not_mixed.push_back(of_four && i % 2 == 0 ? h_a[i + 1] : h_b[i]);
  }
  const std::string what = checker::counted(n, "pair");
  auto seen = checker::launch(what, [&] {
    pairs<<<checker::enough_blocks(n, 2 * block), block>>>(d_a.data(), d_b.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  bool only_tail_missing = n % 2 == 1;
  for (int i = 0; i < 2 * n; ++i)
    only_tail_missing = only_tail_missing && (i < 2 * (n - 1) ? lab::close(got[i], expected[i], {})
                                                              : std::isnan(got[i]));
  checker::diagnose("tail_dropped",
                    only_tail_missing,
                    what + ": nobody has written the last pair, which is alone: too few floats for "
                           "a float4");
  bool half = n % 4 == 0 && n > 0;
  for (int i = 0; i < 2 * n; ++i)
    half = half && (i < n ? lab::close(got[i], expected[i], {}) : lab::is_poison(got[i]));
  checker::diagnose(
      "half_written",
      half,
      what + ": half of out's " + std::to_string(2 * n) +
          " floats are written. A float4 is two pairs: there are n / 2 of them, not n / 4");
  checker::diagnose("not_mixed",
                    n > 1 && got == not_mixed,
                    what + ": two of a, then two of b, and so on. A pair is one of each");
  checker::expect_same_bits("array of " + what, got, expected);
  checker::expect_same("a of " + what + ", which must stay", d_a.download(), h_a);
  return seen;
}

} // namespace

TEST_CASE("whole float4") {
  for (int n : {2, 128, 1024})
    check(n, 64);
}

TEST_CASE("every tail") {
  for (int n : {1, 2, 3, 126, 127, 128, 129})
    check(n, 64);
}

TEST_CASE("every size, in any blocks") { checker::every_size(64, {32, 47, 96, 256}, check); }

TEST_CASE("sixteen bytes per lane") {
  const auto seen = check(2048, 1024); // one block of 32 warps
  if (!seen) { // no counts on a GPU, but time: a gigabyte each way is far more than the caches hold
    const int n = 1 << 27;
    const lab::DeviceBuffer<float> d_a(n), d_b(n), d_out(2 * static_cast<std::size_t>(n));
    LAB_CHECK(cudaMemset(d_a.data(), 0x3F, d_a.bytes()));
    LAB_CHECK(cudaMemset(d_b.data(), 0x3F, d_b.bytes()));
    checker::expect_bandwidth(
        2.0 * static_cast<double>(d_out.bytes()), lab::Ceiling::copy, 0.75, [&] {
          pairs<<<n / 2 / 256, 256>>>(d_a.data(), d_b.data(), n, d_out.data());
        });
    return;
  }
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  const auto text = [](const emu::LineReport *line, unsigned wanted) {
    return "2048 pairs are 32 requests of a warp whose lanes store 16 bytes each, and 32 for each "
           "of "
           "the two arrays that they load 8 bytes of" +
           (line && line->access_bytes < wanted
                ? ". In line " + std::to_string(line->where.line) + " a lane has " +
                      std::to_string(line->access_bytes) + " at a time: one float" +
                      std::to_string(wanted / 4) + " has " + std::to_string(wanted)
                : "");
  };
  const emu::LineReport *store = checker::busiest_line(*seen, emu::Access::global_store),
                        *load = checker::busiest_line(*seen, emu::Access::global_load);
  checker::expect_at_most("global_store.requests",
                          checker::total(*seen, emu::Access::global_store).requests,
                          32.0,
                          "narrow",
                          text(store, 16),
                          store);
  checker::expect_at_most("global_load.requests",
                          checker::total(*seen, emu::Access::global_load).requests,
                          64.0,
                          "narrow",
                          text(load, 8),
                          load);
}
