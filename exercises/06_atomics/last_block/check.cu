// Checks last_block.cu: the mean of each row, how many rooms are lit, launch after launch, and that nobody reads too early.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void means(
    const unsigned *in, int n, unsigned long long *partials, unsigned *tickets, unsigned *results);

namespace {

constexpr unsigned nobody = 0xCDCDCDCD; // has written this
constexpr unsigned lit = 128;

void name_mistakes(const std::string &what,
                   const std::vector<unsigned> &got,
                   const std::vector<unsigned long long> &sums,
                   const std::vector<unsigned> &tickets,
                   unsigned grid,
                   int n,
                   int launch) {
  const int rows = static_cast<int>(sums.size());
  const auto mean_of = [n](unsigned long long all) {
    return n > 0 ? static_cast<unsigned>(all / static_cast<unsigned>(n)) : 0;
  };
  const auto unwritten = std::count(got.begin(), got.begin() + rows, nobody);
  bool narrow = true, first = rows > 1, right = true;
  for (int row = 0; row < rows; ++row) {
    narrow = narrow && got[row] == mean_of(sums[row] % (1ull << 32));
    first = first && got[row] == mean_of(sums[0]);
    right = right && got[row] == mean_of(sums[row]);
  }
  checker::diagnose(
      "nobody_is_last",
      unwritten == rows && launch == 1,
      what +
          ": nobody has written a result: no block took itself for its row's last "
          "one. " +
          (std::all_of(tickets.begin(), tickets.begin() + rows, [&](auto t) { return t == grid; })
               ? "Each has drawn one ticket, as it should. The first draws 0: which "
                 "one does the last of " +
                     std::to_string(grid) + " draw?"
               : "How many tickets does a block draw?"));
  checker::diagnose("last_of_all",
                    unwritten > 0 && unwritten < rows && launch == 1,
                    what + ": no mean has come out for " + std::to_string(unwritten) + " of the " +
                        std::to_string(rows) +
                        " rows. The last block of a row is told by that row's tickets, whatever "
                        "the blocks of other rows have drawn");
  checker::diagnose("tickets_not_reset",
                    unwritten > 0 && launch > 1,
                    what + ": the first launch was right, this one has written nothing in " +
                        checker::counted(unwritten, "row") +
                        ": the tickets of the launch before are still counted");
  checker::diagnose("nobody_counts",
                    right && got[rows] == nobody && launch == 1,
                    what + ": the means are right, and nobody has counted the lit rooms. " +
                        (tickets[rows] == 0
                             ? "Whose ticket says that the last mean is there?"
                             : "The house's counter stands at " + std::to_string(tickets[rows]) +
                                   ", and " + checker::counted(rows, "row") +
                                   " should have drawn. Which ticket is the last?"));
  checker::diagnose("tickets_not_reset",
                    right && got[rows] == nobody && launch > 1,
                    what + ": the first launch was right, and in this one nobody has counted the "
                           "lit rooms: the house's tickets of the launch before still count");
  checker::diagnose("miscounted",
                    right && got[rows] != nobody,
                    what + ": the means are right, and " +
                        (got[rows] <= sums.size() ? std::to_string(got[rows]) + " of them are"
                                                  : std::string("more than there are rooms are")) +
                        " said to be " + std::to_string(lit) +
                        " or more. Do all means count, and nothing else, from 0 on?");
  checker::diagnose(
      "first_row",
      first && !right,
      what + ": each row has got the mean of the first one. partials has a place for each "
             "block of each row: which are those of this row?");
  checker::diagnose("sum_overflows",
                    narrow && !right,
                    what + ": somewhere on its way the sum was in an unsigned, which holds no "
                           "more than 2^32 - 1");
}

std::optional<emu::Observation> check(int n, int grid, int rows, int launches) {
  std::optional<emu::Observation> seen; // of the last launch
  auto h_in = checker::extreme_values<unsigned>(static_cast<std::size_t>(n) * rows);
  for (int i = n; i < n * rows; ++i) // row 1 is just lit, row 2 is dim
    h_in[i] = i / n == 1 ? lit : i / n == 2 ? h_in[i] % lit : h_in[i];
  const auto d_in = checker::on_device(h_in);
  const auto d_partials =
      checker::poisoned<unsigned long long>(static_cast<std::size_t>(grid) * rows);
  const auto d_tickets = checker::on_device(std::vector<unsigned>(rows + 1, 0));
  std::vector<unsigned long long> sums(rows);
  for (std::size_t i = 0; i < h_in.size(); ++i)
    sums[i / n] += h_in[i];
  std::vector<unsigned> expected(rows + 1);
  for (int row = 0; row < rows && n > 0; ++row)
    expected[row] = static_cast<unsigned>(sums[row] / static_cast<unsigned>(n));
  expected[rows] = static_cast<unsigned>(
      std::count_if(expected.begin(), expected.begin() + rows, [](auto m) { return m >= lit; }));
  for (int launch = 1; launch <= launches; ++launch) {
    // What stands there before says nothing: in drawn orders not that nobody has come yet, either.
    const auto d_results =
        checker::detail::DrawnOrder::here()
            ? checker::on_device(std::vector<unsigned>(rows + 1, launch % 2 * lit))
            : checker::poisoned<unsigned>(rows + 1);
    const std::string what =
        checker::counted(rows, "row") + " of " + checker::counted(n, "number") + ", " +
        checker::counted(grid, "block") + " for each, launch " + std::to_string(launch);
    const std::string behind_ticket =
        "What a block has stored another one may read only behind its ticket. That takes ";
    const auto for_one_row = [&](const std::string &text, const char *words) {
      checker::perhaps(
          rows == 1 ? behind_ticket + text
                    : "With one row all is right. Each row has tickets, and places for sums, of "
                      "its own. Who reads the means of other rows may do that only behind the "
                      "house's last ticket, drawn behind them, with a fence on each side",
          "global_race",
          words);
    };
    for_one_row("a __threadfence() between the store and the ticket, and one behind the last "
                "ticket: a fence ahead of the store says nothing of it, and who has not drawn the "
                "last ticket reads nothing",
                "");
    for_one_row("a __syncthreads() if the thread that draws is not the one that has stored, and "
                "fenced: it waits for nobody else",
                "a fence makes nobody wait");
    for_one_row("a __threadfence() between the store and the ticket, by the thread that stores",
                "set with no fence before it");
    for_one_row(
        "a __threadfence() behind the ticket, by each thread that reads the sums, or by the "
        "one that draws, ahead of the barrier",
        "read with no fence behind it");
    checker::perhaps("No block may wait for others: they may find no room until it ends. The one "
                     "that draws the last ticket has nobody to wait for",
                     "endless_loop");
    seen = checker::launch(what, [&] {
      means<<<dim3(grid, rows), 64>>>(
          d_in.data(), n, d_partials.data(), d_tickets.data(), d_results.data());
    });
    const auto got = d_results.download(), tickets = d_tickets.download();
    name_mistakes(what, got, sums, tickets, static_cast<unsigned>(grid), n, launch);
    checker::expect_same("means, and lit rooms, of " + what, got, expected);
    const auto left =
        std::find_if(tickets.begin(), tickets.end(), [](unsigned t) { return t != 0; });
    checker::expect(left == tickets.end(),
                    "tickets_not_reset",
                    what + ": all is right, but tickets[" + std::to_string(left - tickets.begin()) +
                        "] is " + std::to_string(left == tickets.end() ? 0 : *left) +
                        " at the end. The next launch begins with it");
  }
  return seen;
}

} // namespace

TEST_CASE("one block") { check(200, 1, 1, 1); }

TEST_CASE("many blocks") {
  for (int n : checker::sizes())
    check(n, 7, 1, 1);
}

TEST_CASE("many rows") {
  checker::unless_failed_before();
  checker::unobserved([] {
    check(100, 3, 4, 1);
  }); // the means, before what the instruments say of how they came about
  for (int n : {100, 64, 1, 0})
    check(n, 3, 4, 1);
}

TEST_CASE("more blocks than anybody has counted") {
  checker::unless_failed_before();
  checker::unobserved([] {
    check(70'000, 1031, 2, 2);
    check(20, 1, 1030, 2); // and more rooms than any block has threads
  });
}

TEST_CASE("launch after launch") {
  checker::unless_failed_before();
  check(700, 5, 2, 3);
}

TEST_CASE("whichever block comes in between") {
  checker::unless_failed_before();
  checker::in_drawn_orders([] {
    check(300, 4, 2, 2);
    check(40, 1, 7, 4); // who counts the rooms has many others beside it
  });
}

TEST_CASE("every thread adds up its share") {
  checker::unless_failed_before();
  if (const auto seen = check(4096, 4, 2, 1)) { // and one of each row reads four partial sums
    checker::expect_lanes(*seen, emu::Access::global_load, 20.0, {}, 0.1); // blocks follow below
    constexpr double numbers = 2 * 4096,
                     sums = 2 * 64 * 4 + 2 * 64; // who will reads them with each thread
    checker::expect_at_most(
        "kib_read",
        static_cast<double>(checker::total(*seen, emu::Access::global_load).bytes) / 1024,
        (numbers * sizeof(unsigned) + sums * sizeof(unsigned long long)) / 1024,
        "added_up_again",
        "the means are right, but numbers are read again that a block has added up: the last one "
        "adds up the sums that the others have left",
        checker::busiest_line(*seen, emu::Access::global_load));
    checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
  }
}

TEST_CASE("two rows of four blocks") {
  checker::unless_failed_before();
  if (const auto seen = check(100, 4, 2, 1))
    checker::record("tickets", checker::total(*seen, emu::Access::global_atomic).lanes);
}

TEST_CASE("tickets, and no other atomics") {
  checker::unless_failed_before();
  if (const auto seen = check(500, 4, 2, 1))
    checker::expect_at_most(
        "atomics",
        static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes),
        2 * 2 * 4 +
            3, // a house's ticket for each block, too, and who will may set a counter back with one
        "atomics_for_fences",
        "the sums of the blocks go through atomics. An atomic makes its own word whole, and says "
        "nothing about when others see which one: that is what a fence is for, once on each side");
}

TEST_CASE("a house at night") {
  constexpr int n = 48, cols = 20, rows = 9;
  checker::unless_failed_before();
  const std::string front = "                    "
                            " ###  #   #  #####  "
                            " #  # #   #  #      "
                            " #  #  # #   #      "
                            " ###    #    ####   "
                            " #  #   #    #      "
                            " #  #   #    #      "
                            " ###    #    #####  "
                            "                    ";
  const auto light = checker::random_values<unsigned>(n * front.size(), 140, 240);
  std::vector<unsigned> h_in;
  for (std::size_t i = 0; i < light.size(); ++i)
    h_in.push_back(front[i / n] == '#' ? light[i] : light[i] % 64);
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_partials = checker::poisoned<unsigned long long>(3 * front.size());
    const auto d_tickets = checker::on_device(std::vector<unsigned>(front.size() + 1, 0));
    const auto d_results = checker::poisoned<unsigned>(front.size() + 1);
    means<<<dim3(3, cols * rows), 64>>>(
        d_in.data(), n, d_partials.data(), d_tickets.data(), d_results.data());
    std::string text;
    const auto got = d_results.download();
    for (std::size_t room = 0; room < front.size(); ++room)
      text += std::string(room % cols == 0 ? "\n" : "") + (got[room] >= lit ? " ██" : " ··");
    checker::note(
        "A house at night, by the means of your blocks. The last one of all has counted " +
        std::to_string(got[front.size()]) + " lit windows:" + text);
  });
}
