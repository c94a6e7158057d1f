// What the tests of NCCL's interface share: ranks on devices.
#pragma once

#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <nccl.h>

#include <algorithm>
#include <vector>

namespace nccl_tests {

/// At most four.
inline int device_count() {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  return std::min(count, 4);
}

/// A rank: on the device of its number, with a stream and two buffers.
struct Member {
  int rank;
  ncclComm_t comm;
  cudaStream_t stream;
  char *in, *out;

  template <class T> void put(const std::vector<T> &values) const {
    const size_t bytes = values.size() * sizeof(T);
    REQUIRE(cudaMemcpyAsync(in, values.data(), bytes, cudaMemcpyHostToDevice, stream) ==
            cudaSuccess);
  }
  template <class T> std::vector<T> get(const char *from, size_t count) const {
    std::vector<T> values(count);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    REQUIRE(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDefault) == cudaSuccess);
    return values;
  }
};

/// Ranks 0 to n - 1.
struct Team {
  Team(int rank_count, size_t bytes) : ranks(rank_count), members(static_cast<size_t>(ranks)) {
    std::vector<ncclComm_t> &made = communicators()[members.size()];
    if (made.empty()) {
      made.resize(members.size());
      REQUIRE(ncclCommInitAll(made.data(), ranks, nullptr) == ncclSuccess);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      Member &m = members[static_cast<size_t>(rank)];
      m.rank = rank;
      m.comm = made[static_cast<size_t>(rank)];
      REQUIRE(cudaSetDevice(rank) == cudaSuccess);
      REQUIRE(cudaStreamCreate(&m.stream) == cudaSuccess);
      REQUIRE(cudaMalloc(&m.in, bytes + 16) == cudaSuccess);
      REQUIRE(cudaMalloc(&m.out, bytes + 16) == cudaSuccess);
    }
  }
  ~Team() {
    each([](const Member &m) {
      cudaStreamDestroy(m.stream);
      cudaFree(m.in);
      cudaFree(m.out);
    });
    cudaSetDevice(0);
  }
  /// By the number of ranks, made once: on a GPU that takes a second.
  static std::vector<std::vector<ncclComm_t>> &communicators() {
    static std::vector<std::vector<ncclComm_t>> made(5);
    return made;
  }

  template <class Do> void each(Do action) {
    for (const Member &m : members) {
      REQUIRE(cudaSetDevice(m.rank) == cudaSuccess);
      action(m);
    }
  }
  /// call(member) in a group.
  template <class Call> ncclResult_t grouped(Call call) {
    REQUIRE(ncclGroupStart() == ncclSuccess);
    for (const Member &m : members)
      CHECK(call(m) == ncclSuccess);
    return ncclGroupEnd();
  }

  int ranks;
  std::vector<Member> members;
};

} // namespace nccl_tests
