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

/// Ranks 0 to n - 1 on the devices 0 to n - 1, with a stream and two buffers each.
struct Team {
  Team(int rank_count, size_t bytes)
      : ranks(rank_count), comms(static_cast<size_t>(ranks)), streams(comms.size()),
        in(comms.size()), out(comms.size()) {
    std::vector<ncclComm_t> &made = communicators()[index(ranks)];
    if (made.empty()) {
      made.resize(comms.size());
      REQUIRE(ncclCommInitAll(made.data(), ranks, nullptr) == ncclSuccess);
    }
    comms = made;
    each([&](int rank) {
      REQUIRE(cudaStreamCreate(&streams[index(rank)]) == cudaSuccess);
      REQUIRE(cudaMalloc(&in[index(rank)], bytes + 16) == cudaSuccess);
      REQUIRE(cudaMalloc(&out[index(rank)], bytes + 16) == cudaSuccess);
    });
  }
  ~Team() {
    each([&](int rank) {
      cudaStreamDestroy(streams[index(rank)]);
      cudaFree(in[index(rank)]);
      cudaFree(out[index(rank)]);
    });
    cudaSetDevice(0);
  }
  /// By the number of ranks, made once: on a GPU that takes a second.
  static std::vector<std::vector<ncclComm_t>> &communicators() {
    static std::vector<std::vector<ncclComm_t>> made(5);
    return made;
  }
  static size_t index(int rank) { return static_cast<size_t>(rank); }

  template <class Do> void each(Do action) {
    for (int rank = 0; rank < ranks; ++rank) {
      REQUIRE(cudaSetDevice(rank) == cudaSuccess);
      action(rank);
    }
  }
  /// call(rank) in a group.
  template <class Call> ncclResult_t grouped(Call call) {
    REQUIRE(ncclGroupStart() == ncclSuccess);
    for (int rank = 0; rank < ranks; ++rank)
      CHECK(call(rank) == ncclSuccess);
    return ncclGroupEnd();
  }
  template <class T> void put(char *to, int rank, const std::vector<T> &values) {
    REQUIRE(cudaMemcpyAsync(to,
                            values.data(),
                            values.size() * sizeof(T),
                            cudaMemcpyHostToDevice,
                            streams[index(rank)]) == cudaSuccess);
  }
  template <class T> std::vector<T> get(const char *from, int rank, size_t count) {
    std::vector<T> values(count);
    REQUIRE(cudaStreamSynchronize(streams[index(rank)]) == cudaSuccess);
    REQUIRE(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDefault) == cudaSuccess);
    return values;
  }

  int ranks;
  std::vector<ncclComm_t> comms;
  std::vector<cudaStream_t> streams;
  std::vector<char *> in, out;
};

} // namespace nccl_tests
