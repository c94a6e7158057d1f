// Checks one_id.cu: all ranks get a communicator, it is the same one, and a sum over it is right.
#include "checker/ranks.hpp"

#include <nccl.h>

#include <string>

ncclComm_t join(int rank, int ranks);

namespace {

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
    if (after.stayed_away() >= 0)
      checker::perhaps(
          "A rank was left alone in its broadcast: rank " + std::to_string(after.stayed_away()) +
              " has never called it, and came without an id. All ranks have to call it, those who "
              "get the id, too",
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
  checker::expect(after.stayed_away() < 0,
                  "broadcast_alone",
                  what + ": rank " + std::to_string(after.stayed_away()) +
                      " never called broadcast(), and others wait for it there: all ranks call it");
  for (int rank = 0; rank < ranks; ++rank)
    checker::expect(comms[rank] != nullptr,
                    "no_communicator",
                    what + ": rank " + std::to_string(rank) +
                        " has no communicator: what it came with is no id, or nobody else has it");
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
