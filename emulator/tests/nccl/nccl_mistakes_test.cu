// What NCCL's interface says to mistakes. NVIDIA's library answers some of them by waiting for ever.
#include "team.cuh"

#include <string>

using namespace nccl_tests;

namespace {

TEST_CASE("arguments are checked") {
  Team team(1, 64);
  CHECK(ncclAllReduce(
            team.in[0], team.out[0], 4, ncclNumTypes, ncclSum, team.comms[0], team.streams[0]) ==
        ncclInvalidArgument);
  CHECK(ncclAllReduce(team.in[0], team.out[0], 4, ncclFloat, ncclSum, nullptr, team.streams[0]) ==
        ncclInvalidArgument);
  CHECK(ncclBroadcast(team.in[0], team.out[0], 4, ncclFloat, 1, team.comms[0], team.streams[0]) ==
        ncclInvalidArgument);
  CHECK(std::string(ncclGetErrorString(ncclInvalidArgument)).find("invalid argument") == 0);
  CHECK(std::string(ncclGetLastError(nullptr)) != "");
  ncclComm_t comms[2];
  const int same[2] = {0, 0};
  CHECK(ncclCommInitAll(comms, 2, same) == ncclInvalidUsage);
  int version = 0;
  CHECK(ncclGetVersion(&version) == ncclSuccess);
  CHECK(version == NCCL_VERSION_CODE);
}

#ifdef BUILD_FIRST_EMULATOR

bool last_error_says(const std::string &what) {
  return std::string(ncclGetLastError(nullptr)).find(what) != std::string::npos;
}

TEST_CASE("a rank that never comes is named, and nothing hangs") {
  if (device_count() < 2)
    return;
  Team team(2, 64);
  const auto reduce = [&](size_t i) {
    return ncclAllReduce(
        team.in[i], team.out[i], 4, ncclFloat, ncclSum, team.comms[i], team.streams[i]);
  };
  CHECK(reduce(0) == ncclInternalError); // no group around the loop
  CHECK(last_error_says("ncclAllReduce of rank 0 waits for rank 1"));
  CHECK(team.grouped([&](int rank) { return reduce(Team::index(rank)); }) == ncclSuccess);
  CHECK(ncclSend(team.in[0], 4, ncclFloat, 1, team.comms[0], team.streams[0]) == ncclInternalError);
  CHECK(last_error_says("waits for an ncclRecv of rank 1"));
  ncclUniqueId id;
  ncclComm_t comm;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  CHECK(ncclCommInitRank(&comm, 2, id, 0) == ncclInternalError);
  CHECK(last_error_says("waits for rank 1"));
}

TEST_CASE("ranks that disagree are told how") {
  if (device_count() < 2)
    return;
  Team team(2, 64);
  CHECK(team.grouped([&](int rank) {
    const size_t i = Team::index(rank);
    return ncclAllReduce(
        team.in[i], team.out[i], 4 + i, ncclFloat, ncclSum, team.comms[i], team.streams[i]);
  }) == ncclInvalidUsage);
  CHECK(last_error_says(
      "rank 0 calls ncclAllReduce of 4 float32, rank 1 calls ncclAllReduce of 5 float32"));
  CHECK(team.grouped([&](int rank) {
    const size_t i = Team::index(rank);
    return rank == 0 ? ncclReduce(team.in[i],
                                  team.out[i],
                                  4,
                                  ncclFloat,
                                  ncclSum,
                                  0,
                                  team.comms[i],
                                  team.streams[i])
                     : ncclAllReduce(team.in[i],
                                     team.out[i],
                                     4,
                                     ncclFloat,
                                     ncclSum,
                                     team.comms[i],
                                     team.streams[i]);
  }) == ncclInvalidUsage);
  CHECK(team.grouped([&](int rank) {
    const size_t i = Team::index(rank);
    return ncclAllReduce(team.in[i],
                         team.out[i],
                         4,
                         ncclFloat,
                         rank == 0 ? ncclSum : ncclMax,
                         team.comms[i],
                         team.streams[i]);
  }) == ncclInvalidUsage);
}

TEST_CASE("buffers and streams must be the rank's own") {
  if (device_count() < 2)
    return;
  Team team(2, 64);
  std::vector<float> host(4);
  const auto reduce = [&](const void *in, void *out, cudaStream_t stream) {
    return ncclAllReduce(in, out, 4, ncclFloat, ncclSum, team.comms[0], stream);
  };
  CHECK(reduce(host.data(), team.out[0], team.streams[0]) == ncclInvalidArgument);
  CHECK(reduce(team.in[0], team.out[1], team.streams[0]) == ncclInvalidArgument);
  CHECK(reduce(team.in[0] + 72, team.out[0], team.streams[0]) == ncclInvalidArgument);
  CHECK(reduce(team.in[0], team.out[0], team.streams[1]) == ncclUnhandledCudaError);
  CHECK(ncclGroupStart() == ncclSuccess);
  CHECK(reduce(host.data(), team.out[0], team.streams[0]) == ncclInvalidArgument);
  CHECK(ncclGroupEnd() == ncclInvalidArgument);
  CHECK(ncclGroupEnd() == ncclInvalidUsage);
}

#endif

} // namespace
