// Checks first_add.cu: two products per thread, any tail, neighbours beside neighbours.
#include "block_results.hpp"

__global__ void block_dot(const unsigned *a, const unsigned *b, int n, unsigned *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_a = checker::extreme_values<unsigned>(n);
  const auto h_b = checker::random_values<unsigned>(n, 1, ~0u);
  const auto d_a = checker::on_device(h_a), d_b = checker::on_device(h_b);
  const auto add = [&](unsigned sum, int i) { return sum + h_a[i] * h_b[i]; };
  const auto run = run_blocks<unsigned>(n, block, 2, add, [&](unsigned grid, unsigned *out) {
    block_dot<<<grid, block>>>(d_a.data(), d_b.data(), n, out);
  });
  const auto is_first = [&](int i) { return i % run.per_block < block; };
  checker::diagnose("second_half_missing",
                    run.are_instead(run.results_of(is_first)),
                    run.what + ": each block has left out the second half of its products");
  const auto has_partner = [&](int i) { return (is_first(i) ? i + block : i - block) < n; };
  checker::diagnose("tail_dropped",
                    run.are_instead(run.results_of(has_partner)),
                    run.what + ": where a thread has a first product and no second one, its first "
                               "is missing");
  std::vector<unsigned> of_sums(run.expected.size(), 0);
  for (int i = 0; i < n; ++i)
    if (is_first(i)) {
      const int second = i + block;
      const unsigned a = h_a[i] + (second < n ? h_a[second] : 0);
      of_sums[i / run.per_block] += a * (h_b[i] + (second < n ? h_b[second] : 0));
    }
  checker::diagnose("sums_multiplied",
                    run.are_instead(of_sums),
                    run.what + ": the two elements of each vector are added before they are "
                               "multiplied. A product of sums is not the sum of the products");
  run.expect_right("dot products");
  return run.seen;
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 64, 256, 512, 1024}, check);
}

TEST_CASE("a tail of every kind") {
  for (int n : {128, 129, 255, 256, 257, 383, 384, 385})
    check(n, 128);
}

TEST_CASE("neighbouring lanes load neighbouring elements") {
  const auto seen = check(4096, 256);
  if (!seen)
    return;
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "a warp's load should touch 4 sectors. Elements 2 * i and 2 * i + 1 put "
      "neighbouring lanes two elements apart");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
