// Checks idle_lanes.cu: the same checksums, by lanes that lie side by side.
#include "block_results.hpp"

__global__ void block_checksum(const unsigned *in, int n, unsigned *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto fold = [&](unsigned checksum, int i) { return checksum ^ h_in[i]; };
  checker::perhaps(
      "The block has blockDim.x numbers, and this pair lies past them: thread k's begins at 2 * "
      "stride * k, and that, not k, has to be less than blockDim.x (chapter 05)",
      "uninitialised");
  const auto run = run_blocks<unsigned>(n, block, 1, fold, [&](unsigned grid, unsigned *out) {
    block_checksum<<<grid, block>>>(d_in.data(), n, out);
  });
  run.expect_right("checksums");
  return run.seen;
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 64, 256, 512, 1024}, check);
}

TEST_CASE("whole warps work") {
  const auto seen = check(1024, 1024);
  if (seen)
    checker::expect_lanes_or_shuffles(
        *seen,
        emu::Access::shared_load,
        20.0,
        0.08, // in the last rounds one warp is left
        "in round one half of a block's threads have work, 128 of 256, say: all lanes of 4 warps "
        "can do it, while the other 4 warps have none");
}
