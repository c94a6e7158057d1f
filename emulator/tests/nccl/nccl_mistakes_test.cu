// What NCCL's interface says to mistakes. NVIDIA's library answers some of them by waiting for ever.
#include "team.cuh"

#include <string>

using namespace nccl_tests;

namespace {

TEST_CASE("arguments are checked") {
  const Team team(1, 64);
  const Member &m = team.members[0];
  CHECK(ncclAllReduce(m.in, m.out, 4, ncclNumTypes, ncclSum, m.comm, m.stream) ==
        ncclInvalidArgument);
  CHECK(ncclAllReduce(m.in, m.out, 4, ncclFloat, ncclSum, nullptr, m.stream) ==
        ncclInvalidArgument);
  CHECK(ncclBroadcast(m.in, m.out, 4, ncclFloat, 1, m.comm, m.stream) == ncclInvalidArgument);
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
  const Member &first = team.members[0];
  const auto reduce = [](const Member &m) {
    return ncclAllReduce(m.in, m.out, 4, ncclFloat, ncclSum, m.comm, m.stream);
  };
  CHECK(reduce(first) == ncclInternalError); // no group around the loop
  CHECK(last_error_says("ncclAllReduce of rank 0 waits for rank 1"));
  CHECK(team.grouped(reduce) == ncclSuccess);
  CHECK(ncclSend(first.in, 4, ncclFloat, 1, first.comm, first.stream) == ncclInternalError);
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
  CHECK(team.grouped([](const Member &m) {
    const auto count = static_cast<size_t>(4 + m.rank);
    return ncclAllReduce(m.in, m.out, count, ncclFloat, ncclSum, m.comm, m.stream);
  }) == ncclInvalidUsage);
  CHECK(last_error_says(
      "rank 0 calls ncclAllReduce of 4 float32, rank 1 calls ncclAllReduce of 5 float32"));
  CHECK(team.grouped([](const Member &m) {
    return m.rank == 0 ? ncclReduce(m.in, m.out, 4, ncclFloat, ncclSum, 0, m.comm, m.stream)
                       : ncclAllReduce(m.in, m.out, 4, ncclFloat, ncclSum, m.comm, m.stream);
  }) == ncclInvalidUsage);
  CHECK(team.grouped([](const Member &m) {
    const auto operation = m.rank == 0 ? ncclSum : ncclMax;
    return ncclAllReduce(m.in, m.out, 4, ncclFloat, operation, m.comm, m.stream);
  }) == ncclInvalidUsage);
}

TEST_CASE("buffers and streams must be the rank's own") {
  if (device_count() < 2)
    return;
  const Team team(2, 64);
  const Member &own = team.members[0], &other = team.members[1];
  std::vector<float> host(4);
  const auto reduce = [&](const void *in, void *out, cudaStream_t stream) {
    return ncclAllReduce(in, out, 4, ncclFloat, ncclSum, own.comm, stream);
  };
  CHECK(reduce(host.data(), own.out, own.stream) == ncclInvalidArgument);
  CHECK(reduce(own.in, other.out, own.stream) == ncclInvalidArgument);
  CHECK(reduce(own.in + 72, own.out, own.stream) == ncclInvalidArgument);
  CHECK(reduce(own.in, own.out, other.stream) == ncclUnhandledCudaError);
  CHECK(ncclGroupStart() == ncclSuccess);
  CHECK(reduce(host.data(), own.out, own.stream) == ncclInvalidArgument);
  CHECK(ncclGroupEnd() == ncclInvalidArgument);
  CHECK(ncclGroupEnd() == ncclInvalidUsage);
}

#endif

} // namespace
