// Checks grid_stride.cu: every element, by any grid, once, and neighbours by neighbours.
#include "checker/nasty.hpp"

__global__ void scale(const float *in, float factor, int n, float *out);

namespace {

std::optional<emu::Observation> check(const std::vector<float> &h_in, int grid, int block) {
  const int n = static_cast<int>(h_in.size());
  const float factor = checker::random_values<float>(1, 0.5f, 9.0f)[0];
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected;
  for (float value : h_in)
    expected.push_back(factor * value);

  const std::string what = checker::counted(n, "element") + " by " +
                           checker::counted(grid, "block") + " of " + std::to_string(block);
  auto seen =
      checker::launch(what, [&] { scale<<<grid, block>>>(d_in.data(), factor, n, d_out.data()); });
  const auto got = d_out.download();
  const auto first =
      static_cast<std::size_t>(grid) * block; // behind the first round of all threads
  checker::diagnose("first_round_only",
                    first < got.size() && got[0] == expected[0] && !(got[first] == expected[first]),
                    what + ": nothing behind element " + std::to_string(first - 1) +
                        " was computed; each thread does one element and stops");
  checker::expect_same_bits(what, got, expected);
  if (seen && n > 0)
    checker::expect_at_most(
        "elements_written_twice",
        static_cast<double>(checker::total(*seen, emu::Access::global_store).lanes) - n,
        0.0,
        "work_done_twice",
        what + ": elements are computed more than once. The step from one to the next is the "
               "number of threads in the whole grid");
  return seen;
}

std::optional<emu::Observation> check(int n, int grid, int block) {
  return check(checker::extreme_values<float>(n), grid, block);
}

} // namespace

TEST_CASE("one block for everything") {
  for (int n : checker::sizes())
    check(checker::random_values<float>(n, 1.0f, 2.0f), 1, 64);
}

TEST_CASE("a few blocks") {
  for (int n : checker::sizes())
    check(n, 4, 96);
}

TEST_CASE("more threads than elements") { check(100, 3, 128); }

TEST_CASE("blocks of 47 threads, and more of them than anybody has counted") {
  check(1000, 3, 47);
  checker::unobserved([] { check(100'000, 1031, 47); });
}

TEST_CASE("neighbouring lanes take neighbouring elements") {
  const auto seen = check(4096, 2, 256);
  if (!seen)
    return;
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "32 neighbouring floats lie in 4 sectors. Here the lanes of a warp are far "
      "apart: does each thread take a piece of its own?");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
