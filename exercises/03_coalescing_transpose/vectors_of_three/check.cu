// Checks vectors_of_three.cu: every size, in place, each float loaded once, by neighbours, and one barrier.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void red_for_blue(float *colours, int n);

namespace {

/// Each pixel's floats, in this order.
std::vector<float> reordered(const std::vector<float> &colours, int first, int second, int third) {
  std::vector<float> out;
  for (std::size_t i = 0; i + 2 < colours.size(); i += 3)
    out.insert(out.end(), {colours[i + first], colours[i + second], colours[i + third]});
  return out;
}

bool same_bits(const std::vector<float> &one, const std::vector<float> &other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](float a, float b) {
    return std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b);
  });
}

std::optional<emu::Observation> check(int n) {
  const auto before = checker::extreme_values<float>(3 * static_cast<std::size_t>(n));
  const auto d_colours = checker::on_device(before);
  const std::string what = checker::elements(n, "pixel");
  checker::perhaps("Test each float by its own number, which has to be less than 3 * n, and not by "
                   "the thread's pixel: thread t brings floats of other pixels than its own",
                   "out_of_bounds");
  checker::perhaps(
      "Which colour a float is follows from its own number, modulo 3. The same thread's next "
      "float lies 128 further on, no multiple of 3: there it is another colour",
      "out_of_bounds",
      "outside every __shared__");
  checker::perhaps("A block has 3 * block floats, three for each thread: where one comes in, its "
                   "own number is tested, and not the pixel of the thread that brings it",
                   "uninitialised");
  checker::perhaps("n counts pixels, and a pixel has three floats: their numbers go up to 3 * n",
                   "uninitialised",
                   "an argument of the kernel is");
  checker::perhaps("The picture stays where it is: what one thread overwrites another has to have "
                   "loaded before. Keep it in shared memory, and take it from there",
                   "global_race");
  checker::perhaps("A block's floats begin where those of the blocks before it end, and each of "
                   "these has three for each of its pixels",
                   "global_race",
                   "two threads write");
  auto seen = checker::launch(
      what, [&] { red_for_blue<<<checker::enough_blocks(n, 128), 128>>>(d_colours.data(), n); });
  const auto got = d_colours.download();
  checker::expect(n < 2 || !same_bits(got, before),
                  "unchanged",
                  what + ": the picture is as it was. Who changes red and blue about?");
  checker::expect(n < 2 || !(same_bits(got, reordered(before, 2, 0, 1)) ||
                             same_bits(got, reordered(before, 1, 2, 0))),
                  "channels_turned",
                  what + ": all three colours have moved on by one place, round and round. Green "
                         "stays in the middle: 0, 1, 2 come from 2, 1, 0");
  checker::expect_same_bits(what, got, reordered(before, 2, 1, 0));
  return seen;
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

TEST_CASE("neighbouring lanes have neighbouring floats") {
  const auto seen = check(128); // one block of 4 warps
  if (!seen)
    return;
  checker::expect_lanes(*seen, emu::Access::global_load, 20.0); // 21 without green
  for (const auto access : {emu::Access::global_load, emu::Access::global_store})
    checker::expect_cost_at_most(
        *seen,
        access,
        4.0,
        "uncoalesced",
        "32 neighbouring floats lie in 4 sectors. Let each lane load, and store, the float beside "
        "its neighbour's, whatever colour that is");
  checker::expect_at_most("global_load.requests",
                          checker::total(*seen, emu::Access::global_load).requests,
                          12.0,
                          "loaded_twice",
                          "a block of 4 warps has 384 floats: 12 requests of 32 floats load each "
                          "of them once");
}

TEST_CASE("one barrier") {
  const auto seen = check(512);
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          1.0,
                          "too_many_barriers",
                          "no thread needs a pixel of its own. Whoever stores a float takes it "
                          "from where its colour lies in shared memory: one barrier");
}

TEST_CASE("50 pixels") {
  checker::unless_failed_before();
  if (const auto seen = check(50))
    checker::record("requests_of_50_pixels",
                    checker::total(*seen, emu::Access::global_load).requests);
}

TEST_CASE("a red glass") {
  const std::vector<std::string> hidden = {
      "                                                       ",
      " #   # ##### #     #           ####  #####  ###  ####  ",
      " #   # #     #     #           #   # #     #   # #   # ",
      " #   # #     #     #           #   # #     #   # #   # ",
      " # # # ####  #     #           ####  ####  ##### #   # ",
      " # # # #     #     #           # #   #     #   # #   # ",
      " ## ## #     #     #           #  #  #     #   # #   # ",
      " #   # ##### ##### #####       #   # ##### #   # ####  ",
      "                                                       ",
      "                                                       "};
  const int cols = static_cast<int>(hidden[0].size()), n = cols * static_cast<int>(hidden.size());
  std::vector<float> colours = checker::random_values<float>(3 * n, 0.0f, 1.0f);
  for (int i = 0; i < n; ++i)
    colours[3 * i + 2] = hidden[i / cols][i % cols] == '#' ? 1.0f : 0.0f;
  const auto d_colours = checker::on_device(colours);
  red_for_blue<<<checker::enough_blocks(n, 128), 128>>>(d_colours.data(), n);
  LAB_CHECK_LAUNCH();
  const auto got = d_colours.download();
  checker::expect_same("a picture", got, reordered(colours, 2, 1, 0));
  const auto through_red = [&](const std::vector<float> &seen) {
    std::vector<bool> cells;
    for (int i = 0; i < n; ++i)
      cells.push_back(seen[3 * i] > 0.5f);
    return checker::picture(cells, cols);
  };
  checker::note("A picture through a red glass, as it came:" + through_red(colours) +
                "\nand after your kernel:" + through_red(got));
}
