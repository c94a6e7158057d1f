// Checks tickets.cu: each ticket once, and one atomic addition for each desk of a warp.
#include "checker/checker.hpp"

#include <algorithm>

__global__ void tickets(const unsigned *desks, int n, unsigned *next, unsigned *out);

namespace {

// Desks of which the customers of a warp go to so many different ones, mixed.
std::vector<unsigned> desks_of(int n, unsigned different) {
  const auto which = checker::random_values<unsigned>(n, 0, different - 1);
  const auto first = checker::random_values<unsigned>((n + 31) / 32, 0, 255);
  std::vector<unsigned> desks(n);
  for (int i = 0; i < n; ++i) // the first lanes go to one each, so that none is left out
    desks[i] = (first[i / 32] + 61 * (i % 32 < int(different) ? i % 32 : which[i])) % 256;
  return desks;
}

// The tickets, desk after desk, those of a desk from the lowest on.
std::vector<unsigned> by_desk(const std::vector<unsigned> &desks, std::vector<unsigned> tickets) {
  std::vector<std::vector<unsigned>> of_desk(256);
  for (std::size_t i = 0; i < desks.size(); ++i)
    of_desk[desks[i]].push_back(tickets[i]);
  tickets.clear();
  for (auto &at_one : of_desk) {
    std::sort(at_one.begin(), at_one.end());
    tickets.insert(tickets.end(), at_one.begin(), at_one.end());
  }
  return tickets;
}

std::optional<emu::Observation> check(const std::vector<unsigned> &h_desks,
                                      const std::string &desks) {
  const int n = static_cast<int>(h_desks.size());
  const auto d_desks = checker::on_device(h_desks);
  const auto d_next = checker::on_device(std::vector<unsigned>(256, 0));
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "customer") + ", " + desks;
  auto seen = checker::launch(what, [&] {
    tickets<<<checker::enough_blocks(n, 128), 128>>>(
        d_desks.data(), n, d_next.data(), d_out.data());
  });
  // How many customers come to each desk; the groups of them in one warp; and what is drawn if each of a
  // group draws for all of it.
  std::vector<unsigned> customers(256, 0), groups(256, 0), for_all(256, 0);
  for (int first = 0; first < n; first += 32) {
    std::vector<unsigned> here(256, 0);
    for (int i = first; i < n && i < first + 32; ++i)
      ++here[h_desks[i]];
    for (int desk = 0; desk < 256; ++desk) {
      customers[desk] += here[desk];
      groups[desk] += here[desk] > 0;
      for_all[desk] += here[desk] * here[desk];
    }
  }
  const auto next = d_next.download();
  checker::diagnose("drawn_by_all",
                    next != customers && next == for_all,
                    what + ": every customer drew tickets for its whole group. One draws");
  checker::diagnose("one_for_a_group",
                    next != customers && next == groups,
                    what + ": one ticket was drawn for each group, however many customers it has");
  checker::expect_same("tickets given of " + what, next, customers);

  const auto got = by_desk(h_desks, d_out.download());
  std::vector<unsigned> expected;
  for (unsigned count : customers)
    for (unsigned ticket = 0; ticket < count; ++ticket)
      expected.push_back(ticket);
  bool twice = false;
  for (std::size_t i = 1; i < got.size(); ++i) // a new desk begins with 0
    twice = twice || (got[i] == got[i - 1] && expected[i] != 0);
  checker::diagnose("same_ticket",
                    twice,
                    what + ": the right number of tickets was drawn, but two customers of a desk "
                           "have the same one");
  checker::expect_same("sorted tickets of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("four desks in a warp") { check(desks_of(1024, 4), "4 desks in each warp"); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(desks_of(n, 3), "3 desks in each warp");
}

TEST_CASE("one desk, and desks all over") {
  check(std::vector<unsigned>(500, 7), "one desk");
  check(checker::random_values<unsigned>(1024, 0, 255), "any desk");
}

TEST_CASE("one atomic addition for each desk of a warp") {
  const auto seen = check(desks_of(1024, 4), "4 desks in each warp");
  if (!seen)
    return;
  checker::expect_at_most(
      "atomics_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 32.0,
      4.0,
      "too_many_atomics",
      "a warp whose customers go to 4 different desks needs 4 atomic additions");
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  checker::expect_each_loaded_once(*seen, 1024);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(desks_of(600, 3), "3 desks in each warp"); });
}
