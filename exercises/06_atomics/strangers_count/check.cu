// Checks strangers_count.cu: counts and the most frequent byte, call after call, without a hazard.
#include "checker/nasty.hpp"

#include <algorithm>

void count_all(const unsigned char *in,
               int n,
               unsigned *counts,
               unsigned *tickets,
               unsigned *most,
               int grid,
               int block);

namespace {

std::optional<emu::Observation> check(int n, int grid, int block, int calls) {
  std::optional<emu::Observation> seen; // of the last call
  const auto d_counts = checker::poisoned<unsigned>(256);
  const auto d_tickets = checker::on_device(std::vector<unsigned>{0});
  for (int call = 1; call <= calls; ++call) {
    std::vector<unsigned char> h_in;
    for (int value : checker::random_values<int>(n, 0, 255))
      h_in.push_back(static_cast<unsigned char>(value % (call == 1 ? 256 : 7)));
    const auto d_in = checker::on_device(h_in);
    std::vector<unsigned> expected(256, 0);
    for (unsigned char byte : h_in)
      ++expected[byte];
    const auto most = static_cast<unsigned>(std::max_element(expected.begin(), expected.end()) -
                                            expected.begin());
    const std::string what = checker::counted(n, "byte") + " in " +
                             checker::counted(grid, "block") + " of " + std::to_string(block) +
                             (calls > 1 ? ", call " + std::to_string(call) : "");
    const auto d_most = checker::poisoned<unsigned>(1);
    for (const char *words : {"an atomic for the other access", "set with no fence before it"})
      checker::perhaps(
          "Blocks learn from the tickets that the others have counted: a __threadfence() "
          "between their additions and the ticket, and one behind the ticket",
          "global_race",
          words);
    seen = checker::launch(what, [&] {
      count_all(d_in.data(), n, d_counts.data(), d_tickets.data(), d_most.data(), grid, block);
    });
    checker::expect_same("counts of " + what, d_counts.download(), expected);
    const unsigned got = d_most.at(0);
    checker::diagnose(
        "nobody_is_last",
        got == 0xCDCDCDCDu,
        what +
            ": the counts are right, but nobody has said which is the largest: no "
            "block took itself for the last one" +
            (call > 1 ? ". Do they still count the tickets of the call before?" : ""));
    checker::diagnose("last_of_several",
                      got > most && got < 256 && expected[got] == expected[most],
                      what + ": several bytes occur most often, and the last of them comes out, "
                             "where the smallest is asked for. Is >= a >?");
    checker::expect_same("most frequent of " + what, got, most);
  }
  return seen;
}

} // namespace

TEST_CASE("one block") { check(500, 1, 64, 1); }

TEST_CASE("many blocks") {
  for (int n : checker::sizes())
    check(n, 4, 256, 1);
}

TEST_CASE("blocks of other sizes") {
  for (int block : {32, 96, 47, 512})
    check(2000, 3, block, 1);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  check(1000, 5, 64, 3);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(500, 4, 64, 2); });
}

TEST_CASE("all threads count") {
  if (const auto seen = check(8192, 2, 128, 1)) {
    checker::record("global_atomics",
                    static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes));
    checker::expect_lanes(*seen, emu::Access::shared_atomic, 20.0);
  }
}
