// Checks vectors_of_three.cu: every size, each float loaded once, by neighbours.
#include "checker/nasty.hpp"

__global__ void squared_lengths(const float *in, int n, float *out);

namespace {

std::optional<emu::Observation> check(const std::vector<float> &h_in) {
  const int n = static_cast<int>(h_in.size()) / 3;
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  const int blocks = checker::enough_blocks(n, 128);
  std::vector<float> expected, by_planes;
  for (int i = 0; i < n; ++i) {
    float square = 0, of_planes = 0;
    for (int k = 0; k < 3; ++k) {
      const float own = h_in[3 * i + k];
      const std::size_t far = static_cast<std::size_t>(i / 128) * 384 + k * 128 + i % 128;
      const float other = far < h_in.size() ? h_in[far] : 0.0f;
      square += own * own;
      of_planes += other * other;
    }
    expected.push_back(square);
    by_planes.push_back(of_planes);
  }

  const std::string what = checker::elements(n, "vector");
  checker::perhaps("Test each float by its own number, which has to be less than 3 * n, and not by "
                   "the thread's vector: "
                   "thread t brings floats of other vectors than its own",
                   "out_of_bounds");
  auto seen = checker::launch(
      what, [&] { squared_lengths<<<blocks, 128>>>(d_in.data(), n, d_out.data()); });
  const auto got = d_out.download();
  bool first_block = n >= 128 && got != expected;
  for (int i = 0; i < 128 && first_block; ++i)
    first_block = got[i] == by_planes[i];
  checker::expect(!first_block,
                  "mixed_vectors",
                  what +
                      ": each thread adds up three floats of three different vectors: those that "
                      "it has loaded, not those of its own vector");
  checker::expect_same(what, got, expected);
  return seen;
}

std::optional<emu::Observation> check(int n) {
  std::vector<float> h_in; // small integers: no sum is rounded
  for (int value : checker::random_values<int>(3 * static_cast<std::size_t>(n), -99, 99))
    h_in.push_back(static_cast<float>(value));
  return check(h_in);
}

} // namespace

TEST_CASE("full blocks") {
  check(128);
  check(512);
}

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("a last block of every kind") {
  for (int n : {2, 42, 43, 85, 86, 127, 129, 170, 171})
    check(n);
}

TEST_CASE("vectors of no length, and of any") {
  check({INFINITY, 1, 2, NAN, 1, 2, -0.0f, 0, -0.0f, 0, FLT_MAX, 0, 1, 2, -INFINITY});
}

TEST_CASE("neighbouring lanes load neighbouring floats") {
  const auto seen = check(128); // one block of 4 warps
  if (!seen)
    return;
  const auto loads = checker::total(*seen, emu::Access::global_load);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "32 neighbouring floats lie in 4 sectors. 12 bytes from lane to lane, and a "
      "warp's load touches 12");
  checker::expect_at_most(
      "global_load.requests",
      loads.requests,
      12.0,
      "loaded_twice",
      "a block of 4 warps has 384 floats: 12 requests of 32 floats load each of "
      "them once");
  checker::expect_cost_at_most(*seen,
                               emu::Access::shared_load,
                               1.0,
                               "bank_conflict",
                               "lanes that are 3 words apart meet in no bank, as 3 and 32 have no "
                               "factor in common. Here they "
                               "do meet: how far apart do your vectors lie in shared memory?");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}

TEST_CASE("50 vectors") {
  checker::unless_failed_before();
  if (const auto seen = check(50))
    checker::record("requests_of_50_vectors",
                    checker::total(*seen, emu::Access::global_load).requests);
}
