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
  checker::perhaps("Who reads in the one half and writes in the other is in nobody's way, if no "
                   "index runs over into the other half: lane + stride may be 32 or more",
                   "shared_race",
                   "in the same round");
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

TEST_CASE("many blocks") { check(33); }

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
  if (seen)
    checker::expect_at_most(
        "waits_per_warp",
        checker::meetings_per_warp(*seen),
        5.0,
        "too_many_waits",
        "the first sum needs no other lane's number, and five waits are enough for the "
        "rounds behind it. Who reads in one place and writes in another overwrites nobody");
}

TEST_CASE("a ball") {
  constexpr int rows = 15, cols = 32;
  checker::unless_failed_before();
  // A ray brings light where the ball is turned to the lamp more than chance asks for.
  const auto chance = checker::random_values<float>(64 * rows * cols, 0.0f, 1.0f);
  std::vector<unsigned> h_in;
  for (std::size_t ray = 0; ray < chance.size(); ++ray) {
    const auto pixel = static_cast<float>(ray / 64);
    const float row = std::floor(pixel / cols), col = pixel - row * cols;
    const float x = (col - 15.5f) / 15.5f, y = (row - 7.0f) / 7.5f, in_front = 1.0f - x * x - y * y;
    const float light = in_front < 0.0f ? 0.0f : 0.66f * std::sqrt(in_front) - 0.45f * x - 0.6f * y;
    h_in.push_back(light > chance[ray] ? 1 : 0);
  }
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(32 * rows * cols);
    tail_sum<<<rows * cols, 32>>>(d_in.data(), d_out.data());
    const auto got = d_out.download();
    const std::string ink = " .:-=+*#%@";
    std::string text;
    for (int row = 0; row < rows; ++row) {
      std::string line;
      for (int col = 0; col < cols; ++col) // by the sum of lane `col`
        line += ink[std::min(got[32 * (cols * row + col) + col], 64u) * (ink.size() - 1) / 64];
      text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
    }
    checker::note(
        "A ball in the light of a lamp. Each character is a pixel of 64 rays, whose light your "
        "warps have added up:" +
        text);
  });
}
