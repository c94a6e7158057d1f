// Checks one_id.cu: all ranks get a communicator, it is the same one, a sum over it is right, and the rounds it takes.
#include "messages.hpp"

#include <nccl.h>

#include <algorithm>
#include <bit>
#include <string>

ncclComm_t join(int rank, int ranks);

namespace {

/// NCCL has a device for each rank.
[[maybe_unused]] const bool eight_devices = setenv("EMU_DEVICES", "8", 1) == 0;

/// @return who has heard of the id, and when
std::vector<checker::Heard> check(int wanted) {
  const int ranks = checker::at_most_devices(wanted);
  const auto devices = checker::devices_of(ranks);
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks));
  std::vector<lab::DeviceBuffer<int>> sums;
  for (int rank = 0; rank < ranks; ++rank)
    sums.push_back(checker::on_device(devices[rank], std::vector<int>{rank + 1}));
  const std::string what = checker::counted(ranks, "rank");
  checker::AfterRanks after;
  checker::perhaps("does the same id come to all ranks, and the whole of it, "
                   "sizeof(ncclUniqueId) bytes?",
                   "deadlock");
  checker::observe(what, [&] {
    after = checker::on_ranks(devices, [&](int rank) { comms[rank] = join(rank, ranks); });
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
  checker::expect_at_most("rounds",
                          *std::max_element(after.rounds.begin(), after.rounds.end()),
                          std::bit_width(static_cast<unsigned>(ranks - 1)),
                          "one_after_another",
                          what + ": all have the id in the end, but ranks that had it looked on. "
                                 "After each round twice as many ranks can have it");
  return after.heard;
}

} // namespace

TEST_CASE("one rank, two, and four") {
  check(2);
  check(4);
  check(1);
}

TEST_CASE("three ranks, and seven") {
  checker::unless_failed_before();
  check(3);
  check(7);
}

TEST_CASE("eight ranks") {
  checker::unless_failed_before();
  const auto heard = check(8);
  checker::note("Who has got the id from whom, a column for each round:" + who_told_whom(heard));
}
