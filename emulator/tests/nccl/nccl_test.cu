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

template <class T> void fill(Team &team, size_t count) {
  team.each([&](const Member &m) { m.put(values_of<T>(m.rank, count)); });
}

template <class T> void all_reduce(ncclDataType_t type, bool in_place) {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const ncclRedOp_t operation : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
      const size_t count = sizes[static_cast<size_t>(ranks + operation) % 4];
      Team team(ranks, count * sizeof(T));
      fill<T>(team, count);
      const auto out = [&](const Member &m) { return in_place ? m.in : m.out; };
      CHECK(team.grouped([&](const Member &m) {
        return ncclAllReduce(m.in, out(m), count, type, operation, m.comm, m.stream);
      }) == ncclSuccess);
      team.each([&](const Member &m) {
        CHECK(wrong_values(m.get<T>(out(m), count), ranks, operation) == 0);
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
        fill<float>(team, count);
        CHECK(team.grouped([&](const Member &m) {
          return ncclReduce(m.in, m.out, count, ncclFloat, ncclSum, root, m.comm, m.stream);
        }) == ncclSuccess);
        const Member &of_root = team.members[static_cast<size_t>(root)];
        CHECK(wrong_values(of_root.get<float>(of_root.out, count), ranks, ncclSum) == 0);
        CHECK(team.grouped([&](const Member &m) {
          return ncclBroadcast(m.in, m.out, count, ncclFloat, root, m.comm, m.stream);
        }) == ncclSuccess);
        CHECK(team.grouped([&](const Member &m) {
          return ncclBcast(m.in, count, ncclFloat, root, m.comm, m.stream);
        }) == ncclSuccess);
        team.each([&](const Member &m) {
          CHECK(m.get<float>(m.out, count) == values_of<float>(root, count));
          CHECK(m.get<float>(m.in, count) == values_of<float>(root, count));
        });
      }
}

TEST_CASE("ncclReduceScatter and ncclAllGather make an ncclAllReduce, in place too") {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const size_t share : sizes)
      for (const bool in_place : {false, true}) {
        const size_t count = share * static_cast<size_t>(ranks);
        Team team(ranks, count * sizeof(int));
        fill<int>(team, count);
        const auto out = [&](const Member &m) { return in_place ? m.in : m.out; };
        const auto first = [&](const Member &m) { return static_cast<size_t>(m.rank) * share; };
        const auto mine = [&](const Member &m) { return out(m) + first(m) * sizeof(int); };
        CHECK(team.grouped([&](const Member &m) {
          return ncclReduceScatter(m.in, mine(m), share, ncclInt, ncclSum, m.comm, m.stream);
        }) == ncclSuccess);
        team.each([&](const Member &m) {
          CHECK(wrong_values(m.get<int>(mine(m), share), ranks, ncclSum, first(m)) == 0);
        });
        CHECK(team.grouped([&](const Member &m) {
          return ncclAllGather(mine(m), out(m), share, ncclInt, m.comm, m.stream);
        }) == ncclSuccess);
        team.each([&](const Member &m) {
          CHECK(wrong_values(m.get<int>(out(m), count), ranks, ncclSum) == 0);
        });
      }
}

TEST_CASE("ncclSend and ncclRecv in a group: each rank to the next one") {
  for (int ranks = 1; ranks <= device_count(); ++ranks)
    for (const size_t count : sizes) {
      Team team(ranks, count * sizeof(float));
      fill<float>(team, count);
      const auto before = [&](const Member &m) { return (m.rank + ranks - 1) % ranks; };
      CHECK(team.grouped([&](const Member &m) {
        CHECK(ncclSend(m.in, count, ncclFloat, (m.rank + 1) % ranks, m.comm, m.stream) ==
              ncclSuccess);
        return ncclRecv(m.out, count, ncclFloat, before(m), m.comm, m.stream);
      }) == ncclSuccess);
      team.each([&](const Member &m) {
        CHECK(m.get<float>(m.out, count) == values_of<float>(before(m), count));
      });
    }
}

__device__ int shares[3];
__global__ void double_shares() { shares[threadIdx.x] *= 2; }

TEST_CASE("variables of the devices are summed up, each device's own") {
  for (int ranks = 1; ranks <= device_count(); ++ranks) {
    Team team(ranks, 0);
    team.each([&](const Member &m) {
      const int values[3] = {m.rank, 10 * m.rank, 1};
      REQUIRE(cudaMemcpyToSymbol(shares, values, sizeof values) == cudaSuccess);
      double_shares<<<1, 3, 0, m.stream>>>();
    });
    CHECK(team.grouped([&](const Member &m) {
      void *address = nullptr;
      CHECK(cudaSetDevice(m.rank) == cudaSuccess);
      CHECK(cudaGetSymbolAddress(&address, shares) == cudaSuccess);
      return ncclAllReduce(address, address, 3, ncclInt, ncclSum, m.comm, m.stream);
    }) == ncclSuccess);
    const int sum = ranks * (ranks - 1);
    team.each([&](const Member &m) {
      double_shares<<<1, 3, 0, m.stream>>>();
      REQUIRE(cudaStreamSynchronize(m.stream) == cudaSuccess);
      int values[3] = {};
      REQUIRE(cudaMemcpyFromSymbol(values, shares, sizeof values) == cudaSuccess);
      CHECK(values[0] == 2 * sum);
      CHECK(values[1] == 20 * sum);
      CHECK(values[2] == 4 * ranks);
    });
    CHECK(cudaSetDevice(0) == cudaSuccess);
  }
}

// On GPUs they may run at the same time: they share no memory.
TEST_CASE("several operations in one group") {
  Team team(device_count(), 1000 * sizeof(int));
  fill<int>(team, 1000);
  constexpr size_t half = 500 * sizeof(int);
  CHECK(team.grouped([&](const Member &m) {
    CHECK(ncclAllReduce(m.in, m.out, 500, ncclInt, ncclMax, m.comm, m.stream) == ncclSuccess);
    return ncclAllReduce(m.in + half, m.out + half, 500, ncclInt, ncclSum, m.comm, m.stream);
  }) == ncclSuccess);
  team.each([&](const Member &m) {
    CHECK(wrong_values(m.get<int>(m.out, 500), team.ranks, ncclMax) == 0);
    CHECK(wrong_values(m.get<int>(m.out + half, 500), team.ranks, ncclSum, 500) == 0);
  });
}

__global__ void set(int *data, int value) { data[threadIdx.x] = value; }
__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; }

TEST_CASE("an operation comes after what all ranks' streams did, and before what they do next") {
  Team team(device_count(), 32 * sizeof(int));
  const auto ints = [](char *data) { return reinterpret_cast<int *>(data); };
  for (int round = 1; round <= 10; ++round) {
    team.each([&](const Member &m) { set<<<1, 32, 0, m.stream>>>(ints(m.in), round + m.rank); });
    CHECK(team.grouped([&](const Member &m) {
      return ncclAllReduce(m.in, m.out, 32, ncclInt, ncclSum, m.comm, m.stream);
    }) == ncclSuccess);
    int sum = 0;
    team.each([&](const Member &m) {
      add<<<1, 32, 0, m.stream>>>(ints(m.out), ints(m.in));
      sum += round + m.rank;
    });
    team.each([&](const Member &m) {
      CHECK(m.get<int>(m.out, 32) == std::vector<int>(32, sum + round + m.rank));
    });
  }
}

TEST_CASE("a thread for each rank needs no group") {
  const int ranks = device_count();
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<std::string> troubles(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::string &trouble = troubles[static_cast<size_t>(rank)];
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
        must(!cudaMemcpyAsync(data, values.data(), 4000, cudaMemcpyHostToDevice, stream), "copy");
        must(ncclAllReduce(data, data, 1000, ncclFloat, ncclSum, comm, stream) == ncclSuccess,
             "ncclAllReduce");
        must(!cudaMemcpyAsync(values.data(), data, 4000, cudaMemcpyDeviceToHost, stream), "copy");
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
  ncclUniqueId id;
  std::vector<ncclComm_t> comms(static_cast<size_t>(device_count()));
  const int ranks = device_count();
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  REQUIRE(ncclGroupStart() == ncclSuccess);
  int rank = 0;
  for (ncclComm_t &comm : comms) {
    REQUIRE(cudaSetDevice(rank) == cudaSuccess);
    CHECK(ncclCommInitRank(&comm, ranks, id, rank++) == ncclSuccess);
  }
  CHECK(ncclGroupEnd() == ncclSuccess);
  rank = 0;
  for (const ncclComm_t comm : comms) {
    int mine = -1;
    CHECK(ncclCommUserRank(comm, &mine) == ncclSuccess);
    CHECK(mine == rank++);
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
  }
  cudaSetDevice(0);
}

TEST_CASE("with a configuration, and nobody waits for the other ranks") {
  const int ranks = device_count();
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<ncclComm_t> comms(static_cast<size_t>(ranks));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    REQUIRE(cudaSetDevice(rank) == cudaSuccess);
    const ncclResult_t result =
        ncclCommInitRankConfig(&comms[static_cast<size_t>(rank)], ranks, id, rank, &config);
    CHECK((result == ncclSuccess || result == ncclInProgress));
  }
  for (const ncclComm_t comm : comms) {
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
      REQUIRE(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
    CHECK(state == ncclSuccess);
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
  }
  cudaSetDevice(0);
}

} // namespace
