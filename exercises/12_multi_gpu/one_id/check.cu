// Checks one_id.cu: all ranks get a communicator, it is the same one, and a sum over it is right.
#include "checker/ranks.hpp"

#include <nccl.h>

#include <algorithm>
#include <functional>
#include <string>

ncclComm_t join(int rank, int ranks);

namespace {

/// What is wrong with the broadcasts: each rank has to get the whole id, from the one that has made it. Else "".
std::string fault_of(const checker::AfterRanks &after) {
  const auto rank = [](auto at, const auto &list) { return std::to_string(at - list.begin()); };
  if (after.stayed_away() >= 0)
    return "A rank was left alone in its broadcast: rank " + std::to_string(after.stayed_away()) +
           " has never called it, and came without an id. All ranks have to call it, those who get "
           "the id, too";
  const auto silent = std::find(after.root.begin(), after.root.end(), -1);
  if (silent != after.root.end())
    return "Rank " + rank(silent, after.root) +
           " has never called broadcast(): the id stays with the rank that has made it";
  const auto own = std::adjacent_find(after.root.begin(), after.root.end(), std::not_equal_to{});
  if (own != after.root.end())
    return "Rank " + rank(own, after.root) + " names rank " + std::to_string(own[0]) +
           " as the root of the broadcast, and rank " + rank(own + 1, after.root) + " names rank " +
           std::to_string(own[1]) + ". All name the same one, which has made the id";
  const auto few = std::find_if(after.bytes.begin(), after.bytes.end(), [](auto bytes) {
    return bytes != sizeof(ncclUniqueId);
  });
  if (few != after.bytes.end())
    return "Rank " + rank(few, after.bytes) + " broadcasts " + std::to_string(*few) +
           " bytes, and an id has " + std::to_string(sizeof(ncclUniqueId));
  return {};
}

void check(int ranks) {
  const auto devices = checker::devices_of(ranks);
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks));
  std::vector<lab::DeviceBuffer<int>> sums;
  for (int rank = 0; rank < ranks; ++rank)
    sums.push_back(checker::on_device(devices[rank], std::vector<int>{rank + 1}));
  const std::string what = checker::counted(ranks, "rank");
  checker::AfterRanks after;
  checker::perhaps("Does the same id come to all ranks, and the whole of it? One of them calls "
                   "ncclGetUniqueId, and the others get its sizeof(ncclUniqueId) bytes",
                   "deadlock");
  checker::observe(what, [&] {
    after = checker::on_ranks(devices, [&](int rank) { comms[rank] = join(rank, ranks); });
    if (const std::string fault = fault_of(after); !fault.empty())
      checker::perhaps(fault, "deadlock");
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
  checker::expect(after.stayed_away() < 0,
                  "broadcast_alone",
                  what + ": rank " + std::to_string(after.stayed_away()) +
                      " never called broadcast(), and others wait for it there: all ranks call it");
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
}

} // namespace

TEST_CASE("two ranks, and three") {
  check(2);
  check(checker::at_most_devices(3));
}
