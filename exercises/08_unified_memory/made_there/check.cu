// Checks made_there.cu: the map, the sum, that the host has made no page of the map, and that nobody has waited for one.
#include "checker/streams.hpp"
#include "managed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

cudaError_t make_and_add(unsigned *map,
                         int n,
                         const unsigned *places,
                         const unsigned *values,
                         int given,
                         unsigned *room,
                         unsigned *d_sum);

namespace {

unsigned expected_number(unsigned i) {
  i *= 2654435761u;
  return ((i ^ i >> 15) * 2246822519u) >> 7;
}

std::string pages_of(std::uint64_t count) {
  return checker::counted(static_cast<long long>(count), "page");
}

/// The host makes pages of `room` alone, and nobody waits for one.
void expect_no_waits(const std::string &what, const emu::PageCounts &pages, int n, int given) {
  constexpr int page = 1024; // numbers
  const std::uint64_t of_map = checker::enough_blocks(n, page);
  checker::expect_at_most(
      "pages.made_by_host",
      static_cast<double>(pages.made_by_host),
      checker::enough_blocks(2 * given, page),
      "made_on_the_host",
      what + ": the host touched pages of the map first, and so they were made in its memory: one "
             "number is enough for that");
  checker::expect_at_most("pages.host_faults",
                          static_cast<double>(pages.host_faults),
                          0.0,
                          "fetched_back",
                          what + ": the host touched " + pages_of(pages.host_faults) +
                              " that lay on the device already: fetched back, for a number or two");
  std::string why;
  if (pages.kernel_faults > 0) {
    why = "kernels waited for " + pages_of(pages.kernel_faults) +
          " that the host has written: what a kernel reads is to be sent ahead";
    if (pages.sent_to_device > 0)
      why += ", all of it. The prefetch goes only so far: it counts bytes, and a number has 4 of "
             "them. How many numbers does the kernel read?";
  }
  if (pages.made_by_kernels > 0) {
    why += (why.empty() ? "" : ". And ") + ("kernels made " + pages_of(pages.made_by_kernels)) +
           " by touching them: a prefetch makes them before";
    if (pages.made_by_kernels < of_map)
      why += ", and goes only so far. It counts bytes, and a number has 4 of them";
  }
  checker::expect_at_most("pages.waited_for",
                          static_cast<double>(pages.made_by_kernels + pages.kernel_faults),
                          0.0,
                          "kernel_waits",
                          what + ": " + why);
}

/// @param map  becomes what was made
std::optional<emu::Observation> check(int n,
                                      const std::vector<unsigned> &places,
                                      const std::vector<unsigned> &values,
                                      std::vector<unsigned> &got) {
  const int given = static_cast<int>(places.size());
  std::vector<unsigned> worked_out(n);
  for (int i = 0; i < n; ++i)
    worked_out[i] = expected_number(i);
  std::vector<unsigned> expected = worked_out;
  for (int k = 0; k < given; ++k)
    expected[places[k]] = values[k];
  const Managed<unsigned> map(n), room(2 * given);
  const auto d_sum = checker::on_device(std::vector<unsigned>{0});
  const std::string what =
      checker::elements(n, "number") + ", of which " + std::to_string(given) + " are given";
  checker::perhaps("Each of the given places is below n. Is the list in `room` written before the "
                   "kernel is launched, and does the kernel look for places and values where the "
                   "host has put them?",
                   "out_of_bounds",
                   " of map[");
  checker::perhaps("Kernels and the host both reach managed memory, and `room` is: what does the "
                   "host have to put there before the launch?",
                   "host_pointer");
  cudaError_t error = cudaSuccess;
  const auto seen = checker::observe(what, [&] {
    error =
        make_and_add(map.data(), n, places.data(), values.data(), given, room.data(), d_sum.data());
  });
  const cudaError_t left = cudaGetLastError();
  error = error != cudaSuccess ? error : left;
  checker::expect(error == cudaSuccess,
                  "cuda_error",
                  what + ": " + cudaGetErrorName(error) +
                      (n == 0 || given == 0
                           ? ". CUDA refuses a grid of no blocks, and a prefetch of no bytes"
                           : ""));
  got = map.values();
  int put = 0; // of the given ones, from the first on
  while (put < given && got[places[put]] == values[put])
    ++put;
  checker::diagnose("given_overwritten",
                    given > 0 && got == worked_out,
                    what + ": in each of their places stands what number() says. Who comes last "
                           "there?");
  std::vector<unsigned> added(worked_out);
  for (int k = 0; k < given; ++k)
    added[places[k]] += values[k];
  checker::diagnose("given_added",
                    given > 0 && got == added,
                    what + ": they are added to what number() says, and are to stand in its place");
  checker::diagnose("given_missing",
                    put > 0 && put < given && got[places[put]] == worked_out[places[put]],
                    what + ": of these only the first " + std::to_string(put) +
                        " are in their places");
  checker::expect_same("the map of " + what, got, expected);
  checker::expect_same(
      "the sum of " + what, d_sum.at(0), std::accumulate(expected.begin(), expected.end(), 0u));
  if (seen && (n > 1024 || given == 0 || given == n)) // else the map has as many pages as its list
    expect_no_waits(what, seen->total_pages(), n, given);
  return seen;
}

/// `given` of n places, in any order.
std::vector<unsigned> any_places(int n, int given) {
  std::vector<unsigned> places(n);
  std::iota(places.begin(), places.end(), 0u);
  const auto others = checker::random_values<int>(given, 0, std::max(n - 1, 0));
  for (int k = 0; k < given; ++k)
    std::swap(places[k], places[std::max(k, others[k])]);
  places.resize(given);
  return places;
}

std::optional<emu::Observation> check(int n, int given) {
  std::vector<unsigned> got;
  return check(n, any_places(n, given), checker::random_values<unsigned>(given, 0, ~0u), got);
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, n / 3);
}

TEST_CASE("none is given") { check(1000, 0); }

TEST_CASE("each page is made where it is needed first, and nobody waits for one") {
  constexpr int page = 1024, pages_of_map = 24, given = 2 * pages_of_map; // and of the list one
  std::vector<unsigned> places, got;
  for (const int in_half : checker::random_values<int>(given, 0, page / 2 - 1))
    places.push_back(static_cast<unsigned>(places.size()) * page / 2 + in_half);
  const auto seen =
      check(pages_of_map * page, places, checker::random_values<unsigned>(given, 0, ~0u), got);
  if (!seen)
    return;
  checker::record("kib_if_written_first", pages_of_map * 4);
  const emu::PageCounts pages = seen->total_pages();
  const auto times = *checker::timeline(checker::plain_model(1));
  const auto bytes = static_cast<double>(checker::bytes_copied(times, "to_device"));
  checker::expect_at_most(
      "bytes_from_the_host",
      bytes,
      4096 + 64, // a number or two
      "made_on_the_host",
      "the host sent more than is given, and so the map was made in its memory");
  checker::expect_at_most(
      "copies_from_the_host",
      static_cast<double>(std::ranges::count(times.bars, "to_device", &emu::TimelineBar::engine)),
      8,
      "one_by_one",
      "the given numbers come by a copy each. All of them can come at once, as a list");
  // A grid of any size: of one for the whole device most warps have nothing to do.
  checker::expect_lanes(*seen, emu::Access::global_store, 24.0, {}, 0.1);
  const auto row = [](const std::string &name, std::uint64_t yours) {
    return "\n  " + name + std::string(pages_of_map, '#') + "   " +
           (yours > 0 ? std::string(yours, '#') : "none");
  };
  const auto sent = static_cast<std::uint64_t>(std::ceil(bytes / 4096));
  checker::note("Pages, with the stub (all of the map's) and with your way:" +
                row("made by the host  ", pages.made_by_host) +
                row("over the link     ", pages.sent_to_device + sent) +
                row("waited for        ", 0));
}

TEST_CASE("all are given: a list of two pages") { check(1000, 1000); }

TEST_CASE("a sky") {
  checker::unless_failed_before();
  constexpr int rows = 36, cols = 72;
  constexpr unsigned bright =
      (~0u >> 7) / 40 * 39; // among those that can be worked out one of 40 is
  std::vector<unsigned> moon, map;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const double y = row - 16, x = col - 36;
      if (x * x + y * y < 12 * 12 && (x - 5) * (x - 5) + y * y > 10.5 * 10.5)
        moon.push_back(row * cols + col);
    }
  checker::unobserved(
      [&] { check(rows * cols, moon, std::vector<unsigned>(moon.size(), ~0u), map); });
  std::vector<bool> cells;
  for (const unsigned number : map)
    cells.push_back(number > bright);
  checker::note(
      "Stars that anybody can work out, made on the device, and the moon, of which your host alone "
      "knew:" +
      checker::picture(cells, cols));
}
