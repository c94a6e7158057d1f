// Checks halo_order.cu: each border cell, with one to three ranks, and that ends of the rod stay.
#include "checker/ranks.hpp"

#include <nccl.h>

#include <string>

void tell_neighbours(
    float *cells, int n, int rank, int ranks, ncclComm_t comm, cudaStream_t stream);

namespace {

__global__ void begin(float *cells, int n, float first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i + 1] = first + i;
}

constexpr float untouched = -7.0f;

void check(int n, int ranks) {
  const auto devices = checker::devices_of(ranks);
  const checker::RankStreams own(devices);
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks));
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  ncclGroupStart();
  for (int rank = 0; rank < ranks; ++rank) {
    const checker::OnDevice current(devices[rank]);
    REQUIRE(ncclCommInitRank(&comms[rank], ranks, id, rank) == ncclSuccess);
  }
  REQUIRE(ncclGroupEnd() == ncclSuccess);
  std::vector<lab::DeviceBuffer<float>> cells;
  for (int device : devices)
    cells.push_back(checker::on_device(device, std::vector<float>(n + 2, untouched)));
  const std::string what = checker::counted(ranks, "piece") + " of " + std::to_string(n);
  checker::perhaps("Try: all sends and receives of a rank in one group, between one "
                   "ncclGroupStart() and one ncclGroupEnd(); or an order in which there is always "
                   "somebody who receives (chapter 12)",
                   "deadlock");
  const auto seen = checker::observe(what, [&] {
    for (int rank = 0; rank < ranks; ++rank) {
      const checker::OnDevice current(devices[rank]);
      begin<<<(n + 127) / 128, 128, 0, own.streams[rank]>>>(
          cells[rank].data(), n, static_cast<float>(rank * n));
      LAB_CHECK_LAUNCH();
    }
    checker::on_ranks(devices, [&](int rank) {
      tell_neighbours(cells[rank].data(), n, rank, ranks, comms[rank], own.streams[rank]);
    });
    checker::wait_for(devices);
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const checker::OnDevice current(devices[rank]);
    const std::vector<float> got = cells[rank].download();
    std::vector<float> right(n + 2);
    for (int i = 0; i < n + 2; ++i)
      right[i] = static_cast<float>(rank * n + i - 1);
    right.front() = rank == 0 ? untouched : right.front();
    right.back() = rank + 1 == ranks ? untouched : right.back();
    const std::string whose = "rank " + std::to_string(rank) + ", " + what;
    const bool first = got.front() == right.front(), last = got.back() == right.back();
    checker::diagnose("rod_is_no_ring",
                      (rank == 0 && !first) || (rank + 1 == ranks && !last),
                      whose + ": a cell at an end of the rod has changed, and nobody is there");
    checker::diagnose("nothing_told",
                      (rank > 0 && got.front() == untouched) ||
                          (rank + 1 < ranks && got.back() == untouched),
                      whose + ": a border cell still holds what it held before");
    checker::expect_same("cells of " + whose, got, right);
  }
  for (ncclComm_t comm : comms)
    static_cast<void>(ncclCommDestroy(comm));
  if (seen && ranks == 3)
    checker::record("bytes_to_the_next",
                    static_cast<double>(seen->total_link(devices[0], devices[1]).bytes()));
}

} // namespace

TEST_CASE("one rank") { check(5, 1); }

TEST_CASE("two ranks, three ranks, and a single cell each") {
  check(100, 2);
  check(33, checker::at_most_devices(3));
  check(1, checker::at_most_devices(3));
}
