// NCCL's operations: every one of them, between 1 to 4 ranks, with sizes that divide by nothing. They
// hold for NVIDIA's library, too.
#include "team.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <string>
#include <thread>

using namespace nccl_tests;

namespace {

constexpr size_t sizes[] = {0, 1, 3, 1000, 4097, 100003};

/// The i-th value of a rank: small, so that all types hold sums and products of four exactly.
int value_of(int rank, size_t i) {
  return static_cast<int>((i * 7 + 3 * static_cast<size_t>(rank)) % 3) + 1;
}

template <class T> std::vector<T> values_of(int rank, size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(static_cast<float>(value_of(rank, i)));
  return values;
}

float combined(int ranks, size_t i, ncclRedOp_t operation) {
  int result = value_of(0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const int value = value_of(rank, i);
    result = operation == ncclProd  ? result * value
             : operation == ncclMax ? std::max(result, value)
             : operation == ncclMin ? std::min(result, value)
                                    : result + value;
  }
  return static_cast<float>(result) / (operation == ncclAvg ? static_cast<float>(ranks) : 1.0f);
}

template <class T>
size_t wrong_values(const std::vector<T> &got, int ranks, ncclRedOp_t op, size_t first = 0) {
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const float expected = combined(ranks, first + i, op);
    const float value = static_cast<float>(got[i]);
    // Averages are rounded, and of whole numbers cut off.
    const float most = op != ncclAvg           ? 0.0f
                       : sizeof(T) == 2        ? 0.02f
                       : std::is_integral_v<T> ? 1.0f
                                               : 1e-6f;
    wrong += !(std::fabs(value - expected) <= most);
  }
  return wrong;
}

template <class T> void all_reduce(ncclDataType_t type, bool in_place) {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const ncclRedOp_t operation : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
      const size_t count = sizes[static_cast<size_t>(ranks + operation) % 4];
      Team team(ranks, count * sizeof(T));
      team.each(
          [&](int rank) { team.put(team.in[Team::index(rank)], rank, values_of<T>(rank, count)); });
      const std::vector<char *> &out = in_place ? team.in : team.out;
      CHECK(team.grouped([&](int rank) {
        const size_t i = Team::index(rank);
        return ncclAllReduce(
            team.in[i], out[i], count, type, operation, team.comms[i], team.streams[i]);
      }) == ncclSuccess);
      team.each([&](int rank) {
        CHECK(wrong_values(team.get<T>(out[Team::index(rank)], rank, count), ranks, operation) ==
              0);
      });
    }
}

TEST_CASE("ncclAllReduce of every type, in place and not") {
  for (const bool in_place : {false, true}) {
    all_reduce<signed char>(ncclInt8, in_place);
    all_reduce<unsigned char>(ncclUint8, in_place);
    all_reduce<int>(ncclInt32, in_place);
    all_reduce<unsigned>(ncclUint32, in_place);
    all_reduce<long long>(ncclInt64, in_place);
    all_reduce<unsigned long long>(ncclUint64, in_place);
    all_reduce<__half>(ncclFloat16, in_place);
    all_reduce<float>(ncclFloat32, in_place);
    all_reduce<double>(ncclFloat64, in_place);
    all_reduce<__nv_bfloat16>(ncclBfloat16, in_place);
  }
}

TEST_CASE("ncclReduce gives the root the result, ncclBroadcast everybody the root's values") {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const size_t count : sizes)
      for (int root = 0; root < ranks; ++root) {
        Team team(ranks, count * sizeof(float));
        team.each([&](int rank) {
          team.put(team.in[Team::index(rank)], rank, values_of<float>(rank, count));
        });
        CHECK(team.grouped([&](int rank) {
          const size_t i = Team::index(rank);
          return ncclReduce(team.in[i],
                            team.out[i],
                            count,
                            ncclFloat,
                            ncclSum,
                            root,
                            team.comms[i],
                            team.streams[i]);
        }) == ncclSuccess);
        CHECK(wrong_values(
                  team.get<float>(team.out[Team::index(root)], root, count), ranks, ncclSum) == 0);
        CHECK(team.grouped([&](int rank) {
          const size_t i = Team::index(rank);
          return ncclBroadcast(
              team.in[i], team.out[i], count, ncclFloat, root, team.comms[i], team.streams[i]);
        }) == ncclSuccess);
        CHECK(team.grouped([&](int rank) {
          const size_t i = Team::index(rank);
          return ncclBcast(team.in[i], count, ncclFloat, root, team.comms[i], team.streams[i]);
        }) == ncclSuccess);
        team.each([&](int rank) {
          const size_t i = Team::index(rank);
          CHECK(team.get<float>(team.out[i], rank, count) == values_of<float>(root, count));
          CHECK(team.get<float>(team.in[i], rank, count) == values_of<float>(root, count));
        });
      }
}

TEST_CASE("ncclReduceScatter and ncclAllGather make an ncclAllReduce, in place too") {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const size_t share : sizes)
      for (const bool in_place : {false, true}) {
        const size_t count = share * Team::index(ranks), share_bytes = share * sizeof(int);
        Team team(ranks, count * sizeof(int));
        team.each([&](int rank) {
          team.put(team.in[Team::index(rank)], rank, values_of<int>(rank, count));
        });
        const std::vector<char *> &out = in_place ? team.in : team.out;
        const auto mine = [&](int rank) {
          return out[Team::index(rank)] + Team::index(rank) * share_bytes;
        };
        CHECK(team.grouped([&](int rank) {
          const size_t i = Team::index(rank);
          return ncclReduceScatter(
              team.in[i], mine(rank), share, ncclInt, ncclSum, team.comms[i], team.streams[i]);
        }) == ncclSuccess);
        team.each([&](int rank) {
          CHECK(wrong_values(team.get<int>(mine(rank), rank, share),
                             ranks,
                             ncclSum,
                             Team::index(rank) * share) == 0);
        });
        CHECK(team.grouped([&](int rank) {
          const size_t i = Team::index(rank);
          return ncclAllGather(mine(rank), out[i], share, ncclInt, team.comms[i], team.streams[i]);
        }) == ncclSuccess);
        team.each([&](int rank) {
          CHECK(wrong_values(team.get<int>(out[Team::index(rank)], rank, count), ranks, ncclSum) ==
                0);
        });
      }
}

TEST_CASE("ncclSend and ncclRecv in a group: each rank to the next one") {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const size_t count : sizes) {
      Team team(ranks, count * sizeof(float));
      team.each([&](int rank) {
        team.put(team.in[Team::index(rank)], rank, values_of<float>(rank, count));
      });
      CHECK(team.grouped([&](int rank) {
        const size_t i = Team::index(rank);
        const ncclResult_t sent = ncclSend(
            team.in[i], count, ncclFloat, (rank + 1) % ranks, team.comms[i], team.streams[i]);
        return sent != ncclSuccess ? sent
                                   : ncclRecv(team.out[i],
                                              count,
                                              ncclFloat,
                                              (rank + ranks - 1) % ranks,
                                              team.comms[i],
                                              team.streams[i]);
      }) == ncclSuccess);
      team.each([&](int rank) {
        CHECK(team.get<float>(team.out[Team::index(rank)], rank, count) ==
              values_of<float>((rank + ranks - 1) % ranks, count));
      });
    }
}

// On GPUs they may run at the same time: they share no memory.
TEST_CASE("several operations in one group") {
  Team team(device_count(), 1000 * sizeof(int));
  team.each(
      [&](int rank) { team.put(team.in[Team::index(rank)], rank, values_of<int>(rank, 1000)); });
  constexpr size_t half = 500 * sizeof(int);
  CHECK(team.grouped([&](int rank) {
    const size_t i = Team::index(rank);
    const ncclResult_t one = ncclAllReduce(
        team.in[i], team.out[i], 500, ncclInt, ncclMax, team.comms[i], team.streams[i]);
    return one != ncclSuccess ? one
                              : ncclAllReduce(team.in[i] + half,
                                              team.out[i] + half,
                                              500,
                                              ncclInt,
                                              ncclSum,
                                              team.comms[i],
                                              team.streams[i]);
  }) == ncclSuccess);
  team.each([&](int rank) {
    const size_t i = Team::index(rank);
    CHECK(wrong_values(team.get<int>(team.out[i], rank, 500), team.ranks, ncclMax) == 0);
    CHECK(wrong_values(team.get<int>(team.out[i] + half, rank, 500), team.ranks, ncclSum, 500) ==
          0);
  });
}

__global__ void fill(int *data, int value) { data[threadIdx.x] = value; }
__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; }

TEST_CASE("an operation comes after what all ranks' streams did, and before what they do next") {
  Team team(device_count(), 32 * sizeof(int));
  const auto ints = [](char *data) { return reinterpret_cast<int *>(data); };
  for (int round = 1; round <= 10; ++round) {
    team.each([&](int rank) {
      const size_t i = Team::index(rank);
      fill<<<1, 32, 0, team.streams[i]>>>(ints(team.in[i]), round + rank);
    });
    CHECK(team.grouped([&](int rank) {
      const size_t i = Team::index(rank);
      return ncclAllReduce(
          team.in[i], team.out[i], 32, ncclInt, ncclSum, team.comms[i], team.streams[i]);
    }) == ncclSuccess);
    int sum = 0;
    team.each([&](int rank) {
      const size_t i = Team::index(rank);
      add<<<1, 32, 0, team.streams[i]>>>(ints(team.out[i]), ints(team.in[i]));
      sum += round + rank;
    });
    team.each([&](int rank) {
      CHECK(team.get<int>(team.out[Team::index(rank)], rank, 32) ==
            std::vector<int>(32, sum + round + rank));
    });
  }
}

TEST_CASE("a thread for each rank needs no group") {
  const int ranks = device_count();
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<std::string> troubles(Team::index(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::string &trouble = troubles[Team::index(rank)];
      const auto must = [&](bool holds, const char *what) {
        if (!holds && trouble.empty())
          trouble = what;
      };
      ncclComm_t comm = nullptr;
      cudaStream_t stream = nullptr;
      float *data = nullptr;
      int count = 0, device = -1, mine = -1;
      must(cudaSetDevice(rank) == cudaSuccess, "device");
      must(ncclCommInitRank(&comm, ranks, id, rank) == ncclSuccess, "ncclCommInitRank");
      must(ncclCommCount(comm, &count) == ncclSuccess && count == ranks, "ncclCommCount");
      must(ncclCommCuDevice(comm, &device) == ncclSuccess && device == rank, "ncclCommCuDevice");
      must(ncclCommUserRank(comm, &mine) == ncclSuccess && mine == rank, "ncclCommUserRank");
      must(cudaStreamCreate(&stream) == cudaSuccess, "stream");
      must(cudaMalloc(&data, 1000 * sizeof(float)) == cudaSuccess, "memory");
      for (int round = 0; round < 10; ++round) {
        std::vector<float> values = values_of<float>(rank, 1000);
        must(cudaMemcpyAsync(data, values.data(), 4000, cudaMemcpyHostToDevice, stream) ==
                 cudaSuccess,
             "copy");
        must(ncclAllReduce(data, data, 1000, ncclFloat, ncclSum, comm, stream) == ncclSuccess,
             "ncclAllReduce");
        must(cudaMemcpyAsync(values.data(), data, 4000, cudaMemcpyDeviceToHost, stream) ==
                 cudaSuccess,
             "copy");
        must(cudaStreamSynchronize(stream) == cudaSuccess, "stream");
        must(wrong_values(values, ranks, ncclSum) == 0, "values");
      }
      must(ncclCommFinalize(comm) == ncclSuccess, "ncclCommFinalize");
      must(ncclCommDestroy(comm) == ncclSuccess, "ncclCommDestroy");
      cudaFree(data);
      cudaStreamDestroy(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &trouble : troubles)
    CHECK(trouble == "");
}

TEST_CASE("one thread joins its ranks in a group") {
  const int ranks = device_count();
  ncclUniqueId id;
  std::vector<ncclComm_t> comms(Team::index(ranks));
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  REQUIRE(ncclGroupStart() == ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) {
    REQUIRE(cudaSetDevice(rank) == cudaSuccess);
    CHECK(ncclCommInitRank(&comms[Team::index(rank)], ranks, id, rank) == ncclSuccess);
  }
  CHECK(ncclGroupEnd() == ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) {
    int mine = -1;
    CHECK(ncclCommUserRank(comms[Team::index(rank)], &mine) == ncclSuccess);
    CHECK(mine == rank);
    CHECK(ncclCommDestroy(comms[Team::index(rank)]) == ncclSuccess);
  }
  cudaSetDevice(0);
}

} // namespace
