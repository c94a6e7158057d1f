// What each process of processes_test.cu does: bodies, which never run by themselves.
#include "board.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <emu/processes.hpp>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

using namespace processes_tests;

namespace {

/// A rank with a device and a communicator of all.
struct Member : Rank {
  explicit Member(int device = -1, void (*with_id)(const ncclUniqueId &) = nullptr) {
    REQUIRE(cudaSetDevice(device < 0 ? rank : device) == cudaSuccess);
    ncclUniqueId id = {};
    if (rank == 0)
      REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
    if (rank == 0 && with_id)
      with_id(id);
    tell(id);
    joined = ncclCommInitRank(&comm, ranks, told_by<ncclUniqueId>(0), rank);
  }
  ~Member() {
    ncclCommDestroy(comm);
    meet(); // the process that made the id is the last to go
  }
  ncclComm_t comm = nullptr;
  ncclResult_t joined;
};

/// One that has come in, on a device of its own.
struct Joined : Member {
  explicit Joined(void (*with_id)(const ncclUniqueId &) = nullptr) : Member(-1, with_id) {
    REQUIRE(joined == ncclSuccess);
  }
  ncclResult_t add_up(float *data, size_t n) const {
    return ncclAllReduce(data, data, n, ncclFloat, ncclSum, comm, nullptr);
  }
};

/// Floats in memory of the current device.
struct Floats {
  explicit Floats(size_t n) : n(n) { REQUIRE(cudaMalloc(&data, n * 4 + 4) == cudaSuccess); }
  Floats(const Floats &) = delete;
  ~Floats() { cudaFree(data); }
  void put(float first) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i)
      values[i] = first + static_cast<float>(i % 10);
    REQUIRE(cudaMemcpy(data, values.data(), n * 4, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  /// How many differ from factor * (i % 10) + first.
  size_t wrong(float first, float factor) const {
    std::vector<float> values(n);
    REQUIRE(cudaMemcpy(values.data(), data, n * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i)
      wrong += !(std::fabs(values[i] - (first + factor * static_cast<float>(i % 10))) <= 1e-5f);
    return wrong;
  }
  float *data = nullptr;
  size_t n;
};

bool says(const std::string &what) {
  const std::string text = ncclGetLastError(nullptr);
  const bool said = text.find(what) != std::string::npos;
  if (!said)
    MESSAGE(text);
  return said;
}

void every_operation(Joined &m, size_t n) {
  const auto ranks = static_cast<float>(m.ranks), rank = static_cast<float>(m.rank);
  const float sum = ranks * (ranks - 1) / 2;
  const size_t own = static_cast<size_t>(m.rank);
  Floats in(n * static_cast<size_t>(m.ranks)), out(n * static_cast<size_t>(m.ranks)), one(n);
  const auto part = [&](Floats &of, size_t r) { return of.data + r * n; };
  in.put(rank);
  CHECK(ncclAllReduce(in.data, out.data, in.n, ncclFloat, ncclSum, m.comm, nullptr) == ncclSuccess);
  CHECK(out.wrong(sum, ranks) == 0);
  CHECK(ncclAllReduce(in.data, in.data, in.n, ncclFloat, ncclAvg, m.comm, nullptr) == ncclSuccess);
  CHECK(in.wrong(sum / ranks, 1) == 0);
  one.put(rank);
  CHECK(ncclBroadcast(one.data, one.data, n, ncclFloat, m.ranks - 1, m.comm, nullptr) ==
        ncclSuccess);
  CHECK(one.wrong(ranks - 1, 1) == 0);
  one.put(rank);
  CHECK(ncclReduce(one.data, one.data, n, ncclFloat, ncclSum, 0, m.comm, nullptr) == ncclSuccess);
  CHECK(one.wrong(m.rank == 0 ? sum : rank, m.rank == 0 ? ranks : 1) == 0);
  in.put(rank);
  CHECK(ncclReduceScatter(in.data, part(in, own), n, ncclFloat, ncclSum, m.comm, nullptr) ==
        ncclSuccess);
  CHECK(ncclAllGather(part(in, own), in.data, n, ncclFloat, m.comm, nullptr) == ncclSuccess);
  CHECK(in.wrong(sum, ranks) == 0);
  one.put(rank);
  Floats got(n);
  CHECK(ncclGroupStart() == ncclSuccess);
  CHECK(ncclSend(one.data, n, ncclFloat, (m.rank + 1) % m.ranks, m.comm, nullptr) == ncclSuccess);
  CHECK(ncclRecv(got.data, n, ncclFloat, (m.rank + m.ranks - 1) % m.ranks, m.comm, nullptr) ==
        ncclSuccess);
  CHECK(ncclGroupEnd() == ncclSuccess);
  CHECK(got.wrong(static_cast<float>((m.rank + m.ranks - 1) % m.ranks), 1) == 0);
}

__global__ void add(float *to, const float *from, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    to[i] += from[i];
}

} // namespace

TEST_CASE("body: every operation" * doctest::skip()) {
  Joined m;
  for (const size_t n : {size_t{0}, size_t{1}, size_t{33}, size_t{1025}, size_t{100003}})
    every_operation(m, n);
}

namespace {

int port_of(const ncclUniqueId &id) {
  int port = 0;
  REQUIRE(std::sscanf(id.internal, "emulator %*s %*s %*d %d", &port) == 1);
  return port;
}

/// Whether only this machine reaches it, as the kernel's table of sockets says.
bool listens_to_this_machine_only(int port) {
  char own[64];
  std::snprintf(own, sizeof own, " 0100007F:%04X 00000000:0000 0A ", static_cast<unsigned>(port));
  std::ifstream file("/proc/self/net/tcp");
  return std::string(std::istreambuf_iterator<char>(file), {}).find(own) != std::string::npos;
}

/// Connections of somebody who says so many bytes of a message and stays.
void knock(const ncclUniqueId &id) {
  REQUIRE(listens_to_this_machine_only(port_of(id)));
  // A head: what it is, whose, and how many bytes follow.
  struct {
    uint32_t kind, tag;
    uint64_t bytes;
    char garbage[1000];
  } message = {0, 0, uint64_t{1} << 60, {}};
  for (const uint32_t kind : {0u, 2u, 4u, 77u})
    for (const uint64_t bytes : {uint64_t{1} << 60, uint64_t{984}})
      for (const size_t said : {sizeof message, size_t{3}, size_t{16}, size_t{500}}) {
        message.kind = kind;
        message.bytes = bytes;
        const int connection = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<uint16_t>(port_of(id)));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(connect(connection, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0);
        CHECK(send(connection, &message, said, MSG_NOSIGNAL) == static_cast<ssize_t>(said));
      }
  usleep(100'000); // the hub has looked at them
}

} // namespace

TEST_CASE("body: a stranger knocks" * doctest::skip()) {
  Joined m(knock);
  every_operation(m, 1025);
}

TEST_CASE("body: memory of the next rank" * doctest::skip()) {
  Rank r;
  REQUIRE(cudaSetDevice(r.rank) == cudaSuccess);
  const int next = (r.rank + 1) % r.ranks;
  for (const int n : {1, 100, 5000}) {
    Floats own(static_cast<size_t>(n)), sum(static_cast<size_t>(n));
    own.put(static_cast<float>(r.rank));
    sum.put(static_cast<float>(r.rank));
    cudaIpcMemHandle_t handle;
    REQUIRE(cudaIpcGetMemHandle(&handle, own.data) == cudaSuccess);
    cudaEvent_t event, other_event;
    cudaIpcEventHandle_t event_handle;
    REQUIRE(cudaEventCreate(&event, cudaEventInterprocess | cudaEventDisableTiming) == cudaSuccess);
    REQUIRE(cudaIpcGetEventHandle(&event_handle, event) == cudaSuccess);
    r.tell(event_handle);
    REQUIRE(cudaIpcOpenEventHandle(&other_event, r.told_by<cudaIpcEventHandle_t>(next)) ==
            cudaSuccess);
    r.meet(); // all have read
    r.tell(handle);
    float *theirs = nullptr, *again = nullptr;
    const auto other = r.told_by<cudaIpcMemHandle_t>(next);
    void *opened = nullptr;
    CHECK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) ==
          cudaErrorDeviceUninitialized); // its own
    CHECK(cudaIpcOpenMemHandle(&opened, other, 0) == cudaErrorInvalidValue);
    REQUIRE(cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
    theirs = static_cast<float *>(opened);
    REQUIRE(cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
    again = static_cast<float *>(opened);
    CHECK(again == theirs);
    CHECK(cudaIpcCloseMemHandle(again) == cudaSuccess);
    CHECK(cudaFree(theirs) == cudaErrorInvalidValue);
    cudaPointerAttributes where;
    REQUIRE(cudaPointerGetAttributes(&where, theirs) == cudaSuccess);
    CHECK(where.type == cudaMemoryTypeDevice);
    CHECK(where.device == next);
    add<<<static_cast<unsigned>((n + 127) / 128), 128>>>(sum.data, theirs, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(sum.wrong(static_cast<float>(r.rank + next), 2) == 0);
    r.meet(); // all have read what the next rank had
    REQUIRE(cudaMemset(theirs, 0, static_cast<size_t>(n) * 4) == cudaSuccess);
    REQUIRE(cudaEventRecord(event) == cudaSuccess);
    r.meet();
    REQUIRE(cudaStreamWaitEvent(nullptr, other_event) == cudaSuccess);
    CHECK(own.wrong(0, 0) == 0);
    CHECK(cudaIpcCloseMemHandle(theirs) == cudaSuccess);
    CHECK(cudaIpcCloseMemHandle(theirs) == cudaErrorInvalidValue);
    CHECK(cudaEventDestroy(other_event) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    r.meet();
  }
}

TEST_CASE("body: a rank that never comes" * doctest::skip()) {
  Joined m;
  Floats data(8);
  if (m.rank == m.ranks - 1) {
    emu::host_waits_for("a message of rank 0 (here.cu:7)");
    m.meet();
    return;
  }
  CHECK(m.add_up(data.data, 8) == ncclInternalError);
  CHECK(says("deadlock: ncclAllReduce of rank 0 waits for rank " + std::to_string(m.ranks - 1) +
             ", which does not come; rank " + std::to_string(m.ranks - 1) +
             " waits in a message of rank 0 (here.cu:7)"));
  m.meet();
}

TEST_CASE("body: all send first" * doctest::skip()) {
  Joined m;
  Floats data(8);
  CHECK(ncclSend(data.data, 8, ncclFloat, (m.rank + 1) % m.ranks, m.comm, nullptr) ==
        ncclInternalError);
  CHECK(says("ncclSend of rank 0 waits for an ncclRecv of rank 1, which does not come; rank 1 "
             "waits in ncclSend to rank"));
}

TEST_CASE("body: another order" * doctest::skip()) {
  Joined m;
  Floats data(8);
  CHECK((m.rank == 0 ? m.add_up(data.data, 8)
                     : ncclBroadcast(data.data, data.data, 8, ncclFloat, 0, m.comm, nullptr)) ==
        ncclInvalidUsage);
  CHECK(says("ranks disagree: rank 0 calls ncclAllReduce of 8 float32, rank 1 calls ncclBroadcast "
             "of 8 float32 with root 0"));
}

TEST_CASE("body: one device for two" * doctest::skip()) {
  Member m(0);
  CHECK(m.joined == ncclInvalidUsage);
  CHECK(m.comm == nullptr);
  CHECK(says("both have device 0 of one machine"));
}

TEST_CASE("body: everybody makes an id" * doctest::skip()) {
  Rank r;
  ncclUniqueId id;
  ncclComm_t comm = nullptr;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  CHECK(ncclCommInitRank(&comm, r.ranks, id, r.rank) == ncclInternalError);
  CHECK(says("waits for rank " + std::to_string(1 - r.rank) +
             " with the same id. One rank calls "
             "ncclGetUniqueId"));
}

TEST_CASE("body: nobody sends the id" * doctest::skip()) {
  ncclUniqueId id = {};
  ncclComm_t comm = nullptr;
  CHECK(ncclCommInitRank(&comm, 2, id, 1) == ncclInvalidArgument);
  CHECK(says("has it been sent to this rank?"));
}

TEST_CASE("body: one aborts" * doctest::skip()) {
  Joined m;
  Floats data(8);
  if (m.rank == 1) {
    CHECK(ncclCommAbort(m.comm) == ncclSuccess);
    m.comm = nullptr;
    return;
  }
  CHECK(m.add_up(data.data, 8) == ncclRemoteError);
  CHECK(says("rank 1 has called ncclCommAbort"));
}

TEST_CASE("body: one ends" * doctest::skip()) {
  Joined m;
  m.meet();
  if (m.rank == 1)
    _exit(0);
  Floats data(8);
  const bool right =
      m.add_up(data.data, 8) == ncclRemoteError && says("the process of rank 1 has ended");
  std::exit(right ? 0 : 1); // who has ended cannot be met again
}
