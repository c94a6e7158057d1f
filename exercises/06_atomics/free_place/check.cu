// Checks free_place.cu: a full ferry, or all cars, above 0 side by side from the bow, all others from the stern.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void part(const int *in, int n, int *out, int room, int *ends);

namespace {

std::optional<emu::Observation>
check(const std::vector<int> &h_in, int room, const std::string &cars, int block = 128) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(static_cast<std::size_t>(room));
  const auto d_ends = checker::on_device(std::vector<int>{0, room - 1, 0});
  const std::string what = cars + ", " + checker::counted(room, "place");
  checker::perhaps(
      "Each place is for one car: was it drawn for this one, and is there one left for it?",
      "global_race",
      "two threads write out[");
  checker::perhaps(
      "Between two accesses of a thread there is room for those of others, even if each "
      "is atomic: to ask whether there is room is to take it. And only "
      "who has a car (i < n) asks for room, and only who has room for a place",
      "came_between");
  checker::perhaps(
      "Others draw between a draw and a look at ends[…]: what counts is what the draw itself "
      "returns. Whether a car gets aboard at all is for one atomic to say, first",
      "global_race",
      "what the atomic returns");
  auto seen = checker::launch(what, [&] {
    part<<<checker::enough_blocks(n, block), block>>>(
        d_in.data(), n, d_out.data(), room, d_ends.data());
  });
  const auto ends = d_ends.download();
  auto got = d_out.download();
  const int aboard = ends[0] + room - 1 - ends[1];
  checker::diagnose("ends_run_on",
                    aboard > std::min(n, room),
                    what + ": the two ends have let " + checker::counted(aboard, "car") +
                        " aboard. They moved on for those, too, who had to stay ashore");
  checker::expect_same("cars aboard, by both ends, " + what, aboard, std::min(n, room));
  auto came = h_in;
  std::sort(came.begin(), came.end());
  auto seated = got; // each car on the ferry
  std::erase_if(seated, [](int car) { return lab::is_poison(car); });
  std::sort(seated.begin(), seated.end());
  const bool all_came = std::ranges::includes(came, seated);
  checker::expect(all_came ||
                      std::ranges::all_of(
                          seated, [&](int car) { return std::ranges::binary_search(came, car); }),
                  "no_such_car",
                  what + ": a number stands on the ferry that no car has. It is in[i] that takes "
                         "the place, and not its number in the queue, or what stands behind the "
                         "last car");
  const auto bow = got.begin() + std::clamp(ends[0], 0, room);
  checker::diagnose("not_parted",
                    n >= room && std::any_of(got.begin(), bow, [](int car) { return car <= 0; }),
                    what +
                        ": a car that belongs to the stern stands at the bow. Only a number above "
                        "0 belongs there, and 0 is none. Whether there is room is one question, "
                        "and which place is the next at its end another");
  const auto stern = bow + (room - aboard);
  std::vector<int> at_the_bow;
  for (auto car = got.begin(); car != got.end(); ++car)
    if (car < bow || car >= stern)
      at_the_bow.push_back(*car > 0);
  std::vector<int> expected(at_the_bow.size(), 0);
  std::fill(expected.begin(), expected.begin() + (bow - got.begin()), 1);
  checker::expect_same("cars above 0, from the bow to the stern, " + what, at_the_bow, expected);
  got.erase(bow, stern);
  if (!all_came)
    std::sort(got.begin(), got.end());
  checker::expect(all_came ? std::ranges::none_of(got, [](int car) { return lab::is_poison(car); })
                           : std::ranges::includes(came, got),
                  "wrong_result",
                  what +
                      ": on the ferry there is a car that has not come, or one stands there twice");
  return seen;
}

} // namespace

TEST_CASE("all at one end") {
  checker::perhaps(
      "An atomic gives back what was there before: 0 for the first at the bow, room - 1 for the "
      "first at the stern, which goes down (chapter 06). And how many cars are let aboard?",
      "out_of_bounds");
  check(std::vector<int>(256, 0), 256, "256 zeros");
  check(std::vector<int>(256, 7), 256, "256 cars above 0");
}

TEST_CASE("more cars than places") {
  checker::perhaps(
      "Is each car asked whether there is still a place for it, before it draws one? And "
      "how many are let aboard: as many as there are places, and none more?",
      "out_of_bounds");
  check(std::vector<int>(256, 0), 100, "256 zeros");
  check(checker::random_values<int>(1000, -9, 9), 600, "1000 cars");
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders(
      [] { check(checker::random_values<int>(1000, -9, 9), 600, "1000 cars"); });
}

TEST_CASE("every size, in any blocks") {
  checker::unless_failed_before();
  checker::every_size(128, {32, 47, 96, 1024}, [](int n, int block) {
    check(checker::extreme_values<int>(n), n / 2 + 1, checker::counted(n, "car"), block);
  });
}

TEST_CASE("more cars than 16 bits count") {
  checker::unless_failed_before();
  checker::at_large_size([] {
    check(std::vector<int>(70'001, 7), 70'000, "70001 cars above 0", 1024);
    check(std::vector<int>(70'001, 0), 70'000, "70001 zeros", 1024);
  });
}

TEST_CASE("draws") {
  std::vector<int> h_in(900, -1);
  for (std::size_t i = 0; i < h_in.size(); i += 3)
    h_in[i] = static_cast<int>(i) + 1;
  const auto seen = check(h_in, 500, "900 cars, 300 of them above 0");
  if (!seen)
    return;
  const double atomics = checker::total(*seen, emu::Access::global_atomic).lanes;
  checker::record("atomics", atomics);
  if (atomics < 900)
    checker::note("fewer atomics than cars: threads have agreed before they asked. That is "
                  "better than what was asked for, and 06.3 is about it");
  // Who finds the ferry full need not read his number.
  checker::expect_lanes(*seen, emu::Access::global_load, 15.0, {}, 0.25);
}

TEST_CASE("a ferry") {
  constexpr int n = 74, room = 50, most = 6;
  checker::unless_failed_before();
  const auto h_in = checker::random_values<int>(n, -most, most);
  const auto names = [](const std::vector<int> &cars) {
    std::string text;
    for (const int car : cars)
      text += static_cast<char>(car > 0 ? '0' + car : 'a' - car);
    return text;
  };
  std::string deck;
  for (int place = 0; place < room; ++place)
    deck += "═";
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_ends = checker::on_device(std::vector{0, room - 1, 0});
    const auto d_out = checker::poisoned<int>(room);
    part<<<3, 32>>>(d_in.data(), n, d_out.data(), room, d_ends.data());
    checker::note("74 cars on the quay; digits are above 0, letters are not:\n" + names(h_in) +
                  "\nYour ferry leaves, and 24 wait for the next one:\n" + std::string(54, ' ') +
                  "▄▄▄\n   " + names(d_out.download()) + " █ █\n  ╲" + deck + "████╱\n~~~╲" + deck +
                  "═══╱~~~~~~~~~~~~~~~~");
  });
}
