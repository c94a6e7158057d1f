// Checks volatile_tail.cu: the sums, and that every lane waits for those it reads from.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void tail_sum(const unsigned *in, unsigned *out);

namespace {

std::optional<emu::Observation> check(unsigned blocks) {
  const auto h_in = checker::extreme_values<unsigned>(64 * blocks);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(32 * blocks);
  std::vector<unsigned> expected(32 * blocks, 0), round_less(32 * blocks);
  for (std::size_t i = 0; i < h_in.size(); ++i)
    for (unsigned lane = 0; lane < 32; ++lane)
      expected[i / 64 * 32 + lane] += h_in[i];
  // Before the last round a lane has the numbers of all lanes that lie an even distance from it.
  for (std::size_t i = 0; i < h_in.size(); ++i)
    for (unsigned lane = i % 2; lane < 32; lane += 2)
      round_less[i / 64 * 32 + lane] += h_in[i];
  /// Whether each lane has what rounds of these strides make, from the sums of 64 or the first 32 numbers.
  const auto by =
      [&](const std::vector<unsigned> &got, const std::vector<unsigned> &strides, bool of_64) {
        for (unsigned block = 0; block < blocks; ++block) {
          const auto in = h_in.begin() + 64 * block;
          std::vector<unsigned> sums(in, in + 32);
          for (unsigned lane = 0; of_64 && lane < 32; ++lane)
            sums[lane] += in[lane + 32];
          for (unsigned stride : strides) {
            const std::vector<unsigned> before(sums);
            for (unsigned lane = 0; lane < 32; ++lane)
              sums[lane] += before[(lane + stride) % 32];
          }
          if (!std::equal(sums.begin(), sums.end(), got.begin() + 32 * block))
            return false;
        }
        return true;
      };
  const std::string what = checker::counted(blocks, "block") + " of 64 elements";
  checker::perhaps("There are 64 numbers for 32 lanes: each loads two, 32 apart, before it adds",
                   "uninitialised",
                   "reads s_data[");
  checker::perhaps("Lanes at the end read on into the other half, which is written in this round: "
                   "lane + stride may be 32 or more",
                   "shared_race",
                   "reads s_data[32], which another writes");
  auto seen = checker::launch(what, [&] { tail_sum<<<blocks, 32>>>(d_in.data(), d_out.data()); });
  const auto got = d_out.download();
  bool lane_0 = true;
  for (unsigned block = 0; block < blocks; ++block)
    lane_0 = lane_0 && got[32 * block] == expected[32 * block];
  checker::diagnose("lane_0_alone", lane_0, what + ": lane 0 has the sum, and other lanes haven't");
  checker::diagnose(
      "a_round_less",
      got == round_less,
      what + ": these are the sums of the round before the last. Where did the last one write?");
  const std::vector<unsigned> strides = {16, 8, 4, 2, 1};
  for (std::size_t k = 0; k < strides.size(); ++k) {
    std::vector<unsigned> rest(strides);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    checker::diagnose("a_round_less",
                      by(got, rest, true),
                      what + ": so it is without the round of stride " +
                          std::to_string(strides[k]) + ". Rounds of 16, 8, 4, 2 and 1 make a sum");
  }
  checker::diagnose("other_rounds",
                    by(got, strides, false),
                    what + ": these are the sums of the first 32 numbers. Each lane has two, 32 "
                           "apart, and adds them before the rounds");
  checker::diagnose("other_rounds",
                    by(got, {32, 16, 8, 4, 2, 1}, true),
                    what + ": each sum is twice what it should be, as in a round of stride 32 each "
                           "lane adds its own number: (lane + 32) % 32 is lane. The first stride "
                           "is 16");
  checker::diagnose("other_rounds",
                    by(got, {32, 32, 32, 32, 32}, true),
                    what + ": so it is if in each round a lane adds its own number once more, and "
                           "no other lane's");
  checker::diagnose("other_rounds",
                    by(got, {}, true) || by(got, {1}, true),
                    what + ": so it is after one addition or two. Does each round read the half "
                           "that the round before has written?");
  checker::expect_same("sums of " + what, got, expected, {}, 32);
  return seen;
}

} // namespace

TEST_CASE("one block") { check(1); }

TEST_CASE("many blocks") {
  check(33);
  for (int blocks : checker::own_sizes(1, 120, 150))
    check(blocks);
}

TEST_CASE("no lane adds what nobody needs") {
  const auto seen = check(4);
  if (!seen)
    return;
  checker::expect_at_most("shared_store.requests_per_block",
                          checker::total(*seen, emu::Access::shared_store).requests / 4.0,
                          8.0,
                          "too_many_stores",
                          "two stores for the elements and one for each of the 6 sums are enough");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_load, 8.0);
  checker::expect_masks_named(*seen);
  checker::expect_at_most("shared_load.requests_per_warp",
                          checker::requests_per_warp(*seen, emu::Access::shared_load),
                          24,
                          "all_by_each",
                          "the sums are right, but a lane may load 24 numbers, as the task says, "
                          "and does what others have done. In a round it needs two, and there are "
                          "six rounds");
}

TEST_CASE("a warp waits for itself, not for a block") {
  const auto seen = check(2);
  if (seen)
    checker::expect_at_most(
        "barriers_per_block",
        checker::barriers_per_block(*seen),
        0.0,
        "block_barrier",
        "__syncthreads() waits for the whole block. Lanes of one warp wait for each "
        "other with __syncwarp()");
}

TEST_CASE("a wait a round") {
  checker::unless_failed_before();
  const auto seen = check(3);
  if (!seen)
    return;
  const double waits =
      checker::meetings_per_warp(*seen); // and shuffles, of sums that nobody stores
  const double stored = checker::requests_per_warp(*seen, emu::Access::shared_store);
  checker::expect_at_most(
      "waits_per_warp",
      waits,
      5.0 + std::max(8.0 - stored, 0.0),
      "too_many_waits",
      "the first sum needs no other lane's number, and five waits are enough for the "
      "rounds behind it. Who reads in one place and writes in another overwrites nobody");
  const long loads = std::lround(checker::accesses_per_thread(*seen, emu::Access::shared_load));
  if (loads > 2) // else there are shuffles
    checker::note("Your record: lanes wait " + checker::counted(std::lround(waits), "time") +
                  ", and each loads " + checker::counted(loads, "number") + ". " +
                  (waits > 3 || (waits == 3 && loads > 13)
                       ? "It can be done with 3 waits and 13 loads: who says that a lane adds two "
                         "numbers in a round?"
                   : waits == 3
                       ? "Halving takes 5 waits; and 2 would be the record."
                       : "Halving takes 5 waits, and we know of nobody who waits as seldom."));
}

/// What lane 0, 1 … has where lanes run apart, and nobody waits: one after the other, in this order, to the end.
std::vector<unsigned> run_apart(const unsigned *in, const std::vector<unsigned> &order) {
  std::vector<unsigned> data(in, in + 32);
  for (const unsigned lane : order) {
    data[lane] += in[lane + 32];
    for (unsigned stride = 16; stride > 0; stride /= 2)
      data[lane] += data[(lane + stride) % 32];
  }
  return data;
}

TEST_CASE("a ball") {
  constexpr int rows = 16, cols = 32, edge = 8; // of a pixel's 64 points
  checker::unless_failed_before();
  std::vector<unsigned> h_in;
  for (int pixel = 0; pixel < rows * cols; ++pixel)
    for (int point = 0; point < edge * edge; ++point) {
      const float x = (pixel % cols + (point % edge + 0.5f) / edge) / cols * 2 - 1;
      const float y = (pixel / cols + (point / edge + 0.5f) / edge) / rows * 2 - 1;
      const float in_front = 1 - x * x - y * y;
      const float light = 0.7f * std::sqrt(std::max(in_front, 0.0f)) - 0.45f * x - 0.55f * y;
      h_in.push_back(in_front < 0 ? 0
                                  : static_cast<unsigned>(255 * std::clamp(light, 0.06f, 1.0f)));
    }
  std::vector<unsigned> order(32);
  const auto drawn = checker::random_values<unsigned>(32, 0u, ~0u);
  for (unsigned lane = 0; lane < 32; ++lane)
    order[lane] = lane;
  std::ranges::sort(order, {}, [&](unsigned lane) { return drawn[lane]; });
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(32 * rows * cols);
    tail_sum<<<rows * cols, 32>>>(d_in.data(), d_out.data());
    const auto got = d_out.download();
    const auto ink = [](unsigned sum) { return " .:-=+*#%@"[std::min(sum / 64, 255u) * 10 / 256]; };
    std::string text;
    for (int row = 0; row < rows; ++row) {
      std::string apart, yours;
      for (int col = 0; col < cols; ++col) { // by the sum of lane `col`
        const int pixel = cols * row + col;
        apart += ink(run_apart(&h_in[64 * pixel], order)[col]);
        yours += ink(got[32 * pixel + col]);
      }
      const std::string line = apart + "   " + yours;
      text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
    }
    checker::note("A ball in the light of a lamp: each character is a sum of 64 numbers, in column "
                  "k that of lane k. On the left as in 2007, where lanes run apart; on the right "
                  "by your kernel:" +
                  text);
  });
}
