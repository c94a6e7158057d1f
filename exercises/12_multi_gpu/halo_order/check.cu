// Checks halo_order.cu: each border cell, with one to eight ranks, that ends of the rod stay, and how many rounds it takes.
#include "checker/nasty.hpp"
#include "messages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

void tell_neighbours(float *cells, int n, int rank, int ranks);

namespace {

constexpr float untouched = -7.0f;

/// What has become of a rank's border cells, if they are not the right ones.
void explain_cells(const std::string &whose,
                   const std::vector<float> &got,
                   const std::vector<float> &right,
                   const std::vector<float> &values,
                   int rank,
                   int ranks) {
  const int n = static_cast<int>(got.size()) - 2;
  const auto own = values.begin() + rank * n;
  checker::diagnose("longer_message",
                    std::isnan(got.front()) || std::isnan(got.back()),
                    whose +
                        ": the message with a border cell had more bytes than its receive has room "
                        "for, and MPI refuses that. A border is one cell, of sizeof(float) bytes");
  checker::diagnose(
      "sides_swapped",
      (rank == 0 && ranks > 1 && got.front() == right.back()) ||
          (rank > 0 && rank + 1 < ranks && got.front() == right.back() &&
           got.back() == right.front()),
      whose + ": what has come from the rank after lies in cells[0], and that is the place "
              "of the rank before's");
  checker::diagnose(
      "cell_beside",
      n > 1 &&
          ((rank > 0 && got.front() == own[-2]) || (rank + 1 < ranks && got.back() == own[n + 1])),
      whose + ": a border cell has come from the cell beside a neighbour's outermost one. "
              "A piece is cells[1] to cells[n]");
  checker::diagnose("rod_is_no_ring",
                    (rank == 0 && got.front() != untouched) ||
                        (rank + 1 == ranks && got.back() != untouched),
                    whose + ": a cell at an end of the rod has changed, and nobody is there");
  checker::diagnose(
      "nothing_told",
      (rank > 0 && got.front() == untouched) || (rank + 1 < ranks && got.back() == untouched),
      whose + ": a border cell still holds what it held before. Does the neighbour send "
              "one of its own cells, and does this rank receive it?");
  const auto is_part = [](float cell, float whole) { // of its bytes the first ones
    const auto bits = std::bit_cast<unsigned>(cell), wanted = std::bit_cast<unsigned>(whole);
    const unsigned before = std::bit_cast<unsigned>(untouched);
    for (const unsigned mask : {0xffu, 0xffffu, 0xffffffu})
      if (cell != whole && bits == ((wanted & mask) | (before & ~mask)))
        return true;
    return false;
  };
  checker::diagnose(
      "other_end",
      n > 1 && ((rank > 0 && got.front() == own[-n]) ||
                (rank + 1 < ranks && got.back() == own[2 * n - 1])),
      whose + ": a border cell has come from the other end of a neighbour's piece. The rank before "
              "ends at its last cell, the rank after begins with its first one");
  checker::diagnose("few_bytes",
                    is_part(got.front(), right.front()) || is_part(got.back(), right.back()),
                    whose +
                        ": of a border cell only the first bytes have come. How many has a float?");
}

/// @return who has told whom, and when
std::vector<checker::Heard> check(int n, int ranks) {
  const std::vector<float> values =
      checker::random_values<float>(static_cast<size_t>(n) * ranks, -1.0f, 1.0f);
  std::vector<std::vector<float>> cells, expected;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto own = values.begin() + rank * n;
    cells.emplace_back(n + 2, untouched);
    std::copy(own, own + n, cells.back().begin() + 1);
    expected.push_back(cells.back());
    if (rank > 0)
      expected.back().front() = own[-1];
    if (rank + 1 < ranks)
      expected.back().back() = own[n];
  }
  const std::string what = checker::counted(ranks, "piece") + " of " + checker::elements(n, "cell");
  checker::AfterRanks after;
  checker::observe(what, [&] {
    after = checker::on_ranks(checker::devices_of(ranks), [&](int rank) {
      tell_neighbours(cells[static_cast<size_t>(rank)].data(), n, rank, ranks);
    });
  });
  const std::string stuck = who_is_stuck(after.stuck);
  std::string both; // "ranks 1 and 2 both receive"
  for (int rank = ranks - 1; rank > 0; --rank)
    for (const int sign : {1, -1})
      if (after.stuck[rank - 1] == sign * (rank + 2) && after.stuck[rank] == sign * (rank + 1))
        both = "ranks " + std::to_string(rank - 1) + " and " + std::to_string(rank) + " both " +
               (sign > 0 ? "send" : "receive");
  const bool to_itself = stuck.find("itself") != std::string::npos;
  checker::expect(stuck.empty(),
                  "nobody_goes_on",
                  what + ": " + stuck + ". They would wait for ever" +
                      (!both.empty() ? ": " + both +
                                           ". Of any two neighbours one has to begin to send, "
                                           "and the other to receive"
                       : to_itself ? ": a message goes to a neighbour, rank - 1 or rank + 1"
                                   : ": in an order that works there is always somebody who "
                                     "receives what somebody sends"));
  for (int rank = 0; rank < ranks; ++rank)
    checker::expect(
        std::equal(cells[rank].begin() + 1, cells[rank].end() - 1, values.begin() + rank * n),
        "own_cell_lost",
        what + ": of rank " + std::to_string(rank) +
            "'s own cells, 1 to n, one has changed. What comes from a neighbour belongs beside "
            "them, into cells[0] and cells[n + 1]");
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> &got = cells[rank], &right = expected[rank];
    const std::string whose = "rank " + std::to_string(rank) + ", " + what;
    explain_cells(whose, got, right, values, rank, ranks);
    checker::expect_same("cells of " + whose, got, right);
  }
  const auto first_round = [&](int rank) {
    return after.heard[rank].empty() ? 0 : after.heard[rank].front().first;
  };
  int last = 0; // the rank that is the last to hear of anybody
  for (int rank = 1; rank < ranks; ++rank)
    last = first_round(rank) > first_round(last) ? rank : last;
  if (ranks > 2)
    checker::expect_at_most("rounds",
                            *std::max_element(after.rounds.begin(), after.rounds.end()),
                            4,
                            "one_after_another",
                            what +
                                ": all is right, but messages go through the ranks one after "
                                "another, and with more ranks they take longer: rank " +
                                std::to_string(last) + " hears nothing before round " +
                                std::to_string(first_round(last)) +
                                ", as its neighbours wait for theirs, and these for theirs. A rank "
                                "with two neighbours has four messages: four rounds are enough "
                                "for any rod");
  return after.heard;
}

/// A row for each round, like "0-->1  2<--3": all ranks of a rod, and who tells a neighbour something.
std::vector<std::string> rows_of_rounds(const std::vector<checker::Heard> &heard) {
  std::string nobody;
  for (size_t rank = 0; rank < heard.size(); ++rank)
    nobody += (rank > 0 ? "   " : "") + std::to_string(rank);
  std::vector<std::string> rows;
  for (int rank = 0; rank < static_cast<int>(heard.size()); ++rank)
    for (const auto &[round, from] : heard[rank]) {
      const auto row = static_cast<size_t>(std::max(round, 1) - 1);
      rows.resize(std::max(rows.size(), row + 1), nobody);
      rows[row].replace(
          4 * static_cast<size_t>(std::min(rank, from)) + 1, 3, from < rank ? "-->" : "<--");
    }
  return rows;
}

} // namespace

TEST_CASE("one rank, and two") {
  check(5, 1);
  check(100, 2);
}

TEST_CASE("three ranks, and a single cell each") {
  checker::unless_failed_before();
  check(33, 3);
  check(1, 3);
  for (int n : checker::own_sizes(1, 4099, 5000))
    check(n, 2);
}

TEST_CASE("eight ranks") {
  checker::unless_failed_before();
  const auto heard = check(10, 8);
  checker::record("messages_at_once", 100 / 2);
  std::vector<checker::Heard> in_turn(8); // each pair waits for the one before it
  for (int left = 0; left < 7; ++left) {
    in_turn[left + 1].push_back({2 * left + 1, left});
    in_turn[left].push_back({2 * left + 2, left + 1});
  }
  const auto yours = rows_of_rounds(heard), theirs = rows_of_rounds(in_turn);
  std::string text = "Who tells whom, a row for each round: in your order, and from rank 0 on, one "
                     "pair after another:";
  for (size_t round = 0; round < theirs.size(); ++round) {
    std::string row = round < yours.size() ? yours[round] : "";
    row.resize(theirs[0].size(), ' ');
    text += "\n" + std::string(round < 9 ? "  " : " ") + std::to_string(round + 1) + "  " + row +
            "      " + theirs[round];
  }
  checker::note(text);
}
