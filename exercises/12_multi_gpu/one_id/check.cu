// Checks one_id.cu: all ranks get a communicator, it is the same one, a sum over it is right, the rounds it takes, and
// the messages from machine to machine.
#include "messages.hpp"

#include <nccl.h>

#include <algorithm>
#include <bit>
#include <string>

ncclComm_t join(int rank, int ranks, int on_machine);

namespace {

/// NCCL has a device for each rank.
[[maybe_unused]] const bool nine_devices = setenv("EMU_DEVICES", "9", 1) == 0;

/// Everybody who knows tells somebody who doesn't, until `count` know.
int rounds_of(int count) { return std::bit_width(static_cast<unsigned>(count - 1)); }

int between_machines(const std::vector<checker::Heard> &heard, int on_machine) {
  int messages = 0;
  for (int rank = 0; rank < static_cast<int>(heard.size()); ++rank)
    for (const auto &[round, from] : heard[rank])
      messages += from / on_machine != rank / on_machine;
  return messages;
}

/// @return who has heard of the id, and when
std::vector<checker::Heard> check(int wanted, int on_machine) {
  const int ranks = checker::at_most_devices(wanted);
  const auto devices = checker::devices_of(ranks);
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks));
  std::vector<lab::DeviceBuffer<int>> sums;
  for (int rank = 0; rank < ranks; ++rank)
    sums.push_back(checker::on_device(devices[rank], std::vector<int>{rank + 1}));
  const int machines = (ranks + on_machine - 1) / on_machine;
  const std::string what =
      checker::counted(ranks, "rank") + " on " + checker::counted(machines, "machine");
  checker::AfterRanks after;
  checker::perhaps("does the same id come to all ranks, and the whole of it, "
                   "sizeof(ncclUniqueId) bytes?",
                   "deadlock");
  checker::observe(what, [&] {
    after =
        checker::on_ranks(devices, [&](int rank) { comms[rank] = join(rank, ranks, on_machine); });
    if (const std::string stuck = who_is_stuck(after.stuck); !stuck.empty())
      checker::perhaps(
          stuck + (stuck.find("there is not") != stuck.npos
                       ? ". Ask of each rank whether it is below `ranks`, before it is told"
                       : ". Every message is sent by one rank and received by another, "
                         "which names the first"),
          "deadlock");
    const auto silent = std::find(after.rounds.rbegin(), after.rounds.rend(), 0);
    const bool all_messages = who_is_stuck(after.stuck).empty();
    if (ranks > 1 && all_messages && silent != after.rounds.rend())
      checker::perhaps("rank " + std::to_string(after.rounds.rend() - silent - 1) +
                           " has neither received a message nor sent one: it does not share the "
                           "others' id",
                       "deadlock");
    for (int rank = 0; rank < ranks; ++rank)
      if (const int other = after.sent_first[rank] - 1; other >= 0)
        checker::perhaps("rank " + std::to_string(rank) + " sent rank " + std::to_string(other) +
                             " its id before it had received one itself: whoever has none cannot "
                             "hand it on",
                         "deadlock");
    for (ncclComm_t comm : comms)
      if (comm == nullptr)
        return;
    ncclGroupStart();
    for (int rank = 0; rank < ranks; ++rank)
      static_cast<void>(ncclAllReduce(
          sums[rank].data(), sums[rank].data(), 1, ncclInt, ncclSum, comms[rank], nullptr));
    ncclGroupEnd();
    checker::wait_for(devices);
  });
  for (int rank = 0; rank < ranks; ++rank)
    checker::expect(
        comms[rank] != nullptr,
        "no_communicator",
        what + ": rank " + std::to_string(rank) +
            " has no communicator: ncclCommInitRank() wants the number of ranks, the id "
            "that all of them have, and this one's rank, in that order");
  for (int rank = 0; rank < ranks; ++rank) {
    const checker::OnDevice current(devices[rank]);
    checker::expect_same("the sum of rank " + std::to_string(rank) + " of " + what,
                         sums[rank].download()[0],
                         ranks * (ranks + 1) / 2);
    static_cast<void>(ncclCommDestroy(comms[rank]));
  }
  const int in_one = std::min(ranks, on_machine);
  checker::expect_at_most("rounds",
                          *std::max_element(after.rounds.begin(), after.rounds.end()),
                          rounds_of(machines) + rounds_of(in_one),
                          "one_after_another",
                          what + ": all have the id in the end, but ranks that had it looked on. " +
                              checker::counted(rounds_of(machines), "round") +
                              " for the machines and " + std::to_string(rounds_of(in_one)) +
                              " within one are enough: after each, twice as many can have it");
  checker::expect_at_most("messages_between_machines",
                          between_machines(after.heard, on_machine),
                          machines - 1,
                          "told_from_elsewhere",
                          what + ", " + std::to_string(on_machine) +
                              " on each: messages went from machine to machine to ranks whose own "
                              "machine had the id already, or could have had. One to each other "
                              "machine is enough, and its ranks tell each other the rest");
  return after.heard;
}

} // namespace

TEST_CASE("one rank, two, and four") {
  check(2, 1);
  check(4, 2);
  check(1, 1);
}

TEST_CASE("three ranks, seven, and nine") {
  checker::unless_failed_before();
  check(3, 8);
  check(7, 3);
  check(9, 1);
  check(9, 9);
  for (int ranks : checker::own_sizes(2, 9, 40)) {
    check(ranks, 1);
    check(ranks, 3);
  }
}

TEST_CASE("eight ranks") {
  checker::unless_failed_before();
  check(8, 4);
  const auto heard = check(8, 2);
  checker::record("rounds_of_100_ranks", rounds_of(100 / 4) + rounds_of(4));
  int by_doubling = 0; // each of the ranks below 1, 2, 4 … tells one
  for (int rank = 1; rank < static_cast<int>(heard.size()); ++rank)
    by_doubling +=
        (rank - static_cast<int>(std::bit_floor(static_cast<unsigned>(rank)))) / 2 != rank / 2;
  const auto bill = [&](int dear) { // of a message to each rank but one
    return std::to_string(10 * dear + static_cast<int>(heard.size()) - 1 - dear);
  };
  checker::note("Your ranks, two on a machine: from whom each has heard the id, a column for each "
                "round, ~ from another machine:" +
                who_told_whom(heard, 2) +
                "\nA message from machine to machine costs 10, and any other one 1. Doubling that "
                "knows of no machines pays " +
                bill(by_doubling) + ", and your bill is " + bill(between_machines(heard, 2)));
}
