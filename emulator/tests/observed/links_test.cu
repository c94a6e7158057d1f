// Bytes between devices, and when the model of observation/timeline.hpp moves them: worked out by hand.
#include <doctest/doctest.h>

#include <cuda_runtime.h>
#include <nccl.h>

#include <observation/devices.hpp>
#include <observation/observe.hpp>
#include <observation/timeline.hpp>

#include <algorithm>
#include <functional>

namespace {

const int devices = emu::want_devices(2); // before anything of CUDA's is called

constexpr int n = 1 << 16;
constexpr uint64_t bytes = n * sizeof(float); // 262.144 us at 1 GB/s

__global__ void add(float *to, const float *from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count)
  if (i < count)
    to[i] += from[i];
}
__global__ void increment(int *counter) { atomicAdd(counter, 1); }

/// A buffer and a stream on each of two devices.
struct Pair {
  float *data[2];
  cudaStream_t stream[2];
  float *pinned;

  explicit Pair(bool access) {
    for (int i = 0; i < 2; ++i) {
      REQUIRE(cudaSetDevice(i) == cudaSuccess);
      REQUIRE(cudaMalloc(&data[i], bytes) == cudaSuccess);
      REQUIRE(cudaMemset(data[i], 0, bytes) == cudaSuccess);
      REQUIRE(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking) == cudaSuccess);
      if (access)
        REQUIRE(cudaDeviceEnablePeerAccess(1 - i, 0) == cudaSuccess);
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    }
    REQUIRE(cudaMallocHost(&pinned, bytes) == cudaSuccess);
    std::fill(pinned, pinned + n, 1.0f);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
  }
  ~Pair() {
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      cudaDeviceDisablePeerAccess(1 - i);
      cudaFree(data[i]);
      cudaStreamDestroy(stream[i]);
    }
    cudaFreeHost(pinned);
    cudaSetDevice(0);
  }
  void copy(int from, int to) const {
    CHECK(cudaMemcpyPeerAsync(data[to], to, data[from], from, bytes, stream[from]) == cudaSuccess);
  }
  void wait() const {
    for (int i = 0; i < 2; ++i)
      CHECK(cudaStreamSynchronize(stream[i]) == cudaSuccess);
  }
};

emu::Observation observe(const std::function<void()> &work) {
  emu::start_observing();
  work();
  emu::Observation seen = emu::stop_observing();
  CHECK_MESSAGE(seen.hazards.empty(), emu::text_report(seen));
  return seen;
}

TEST_CASE("a program gets the devices that it asks for") {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == devices);
  CHECK(devices == 2);
  CHECK(emu::want_devices(3) == 2); // too late
}

TEST_CASE("fewer devices are to be seen while EMU_DEVICES says so") {
  setenv("EMU_DEVICES", "1", 1);
  int count = 0;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 1);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  setenv("EMU_DEVICES", "3", 1); // more than there were at first
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == devices);
  unsetenv("EMU_DEVICES");
  CHECK(cudaSetDevice(1) == cudaSuccess);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a kernel's loads come from the other device, its stores and atomics go there") {
  const Pair p(true);
  int *counter = reinterpret_cast<int *>(p.data[1]);
  const emu::Observation seen = observe([&] {
    add<<<(n + 255) / 256, 256>>>(p.data[0], p.data[1], n); // loads
    add<<<1, 32>>>(p.data[1], p.data[1], 10); // loads twice and stores
    increment<<<2, 32>>>(counter);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  });
  CHECK(seen.total_link(1, 0).loaded == bytes + 20 * 4);
  CHECK(seen.total_link(1, 0).stored == 0);
  CHECK(seen.total_link(0, 1).stored == 10 * 4 + 64 * 4);
  CHECK(seen.total_link(0, 1).loaded == 0);
  CHECK(seen.total_link(0, 1).copied + seen.total_link(1, 0).copied == 0);
  for (const emu::LinkReport &link : seen.links)
    for (const emu::LinkLine &line : link.lines) {
      const bool atomic = line.access == emu::Access::global_atomic;
      CHECK(line.where.line == (atomic ? 26 : 24));
      CHECK(line.bytes == (atomic ? 64 * 4 : link.from == 0 ? 10 * 4 : bytes + 20 * 4));
    }
}

TEST_CASE(
    "copies are counted where they go, through the host where devices cannot reach each other") {
  {
    const Pair p(true);
    const emu::Observation seen = observe([&] {
      p.copy(0, 1);
      p.wait();
      p.copy(1, 0);
      CHECK(cudaMemcpyAsync(p.data[0], p.pinned, 400, cudaMemcpyHostToDevice, p.stream[1]) ==
            cudaSuccess);
      p.wait();
    });
    CHECK(seen.total_link(0, 1).copied == bytes);
    CHECK(seen.total_link(1, 0).copied == bytes);
    CHECK(seen.total_link(1, 0).copies == 1);
    CHECK(seen.total_link(-1, 0).copied == 400);
    CHECK(seen.total_link(0, -1).copied == 0);
  }
  const Pair p(false);
  const emu::Observation seen = observe([&] {
    p.copy(0, 1);
    p.wait();
  });
  CHECK(seen.total_link(0, 1).copied == 0);
  CHECK(seen.total_link(0, -1).copied == bytes);
  CHECK(seen.total_link(-1, 1).copied == bytes);
}

TEST_CASE("an operation of NCCL's counts as a ring does it") {
  const Pair p(false);
  ncclComm_t comms[2];
  REQUIRE(ncclCommInitAll(comms, 2, nullptr) == ncclSuccess);
  const emu::Observation seen = observe([&] {
    for (const bool reduce : {true, false}) {
      ncclGroupStart();
      for (int i = 0; i < 2; ++i)
        reduce ? ncclAllReduce(p.data[i], p.data[i], n, ncclFloat, ncclSum, comms[i], p.stream[i])
               : ncclBroadcast(p.data[i], p.data[i], n, ncclFloat, 0, comms[i], p.stream[i]);
      CHECK(ncclGroupEnd() == ncclSuccess);
    }
    p.wait();
  });
  CHECK(seen.total_link(0, 1).copied == bytes + bytes); // 2 (ranks - 1) / ranks, and the broadcast
  CHECK(seen.total_link(1, 0).copied == bytes);
  for (const ncclComm_t comm : comms)
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
}

TEST_CASE("reports tell of links, with the parts of the program") {
  const Pair p(true);
  const emu::Observation seen = observe([&] {
    emu::begin_part("v1");
    p.copy(0, 1);
    p.wait();
    emu::begin_part("");
  });
  REQUIRE(seen.links.size() == 1);
  CHECK(seen.links[0].part == "v1");
  CHECK(emu::text_report(seen).find("v1: from device 0 to device 1: 256.0 KiB in 1 copy") !=
        std::string::npos);
  const std::string json = emu::json_report(seen);
  CHECK(json.find("\"copied\": 262144") != std::string::npos);
}

/// A model with round numbers: nothing but links takes time, or as said.
emu::TimelineModel simple() {
  emu::TimelineModel model;
  model.submit_us = model.copy_us = model.kernel_us = model.collective_us = 0;
  model.link_gb_per_s = 1;
  model.peer_gb_per_s = 1;
  model.memory_gb_per_s = model.block_rate = 1e9;
  return model;
}

double total_us(const std::function<void()> &work, const emu::TimelineModel &model = simple()) {
  emu::set_timeline_model(model);
  observe(work);
  return emu::timeline().total_us;
}

TEST_CASE("links work in both directions at once, and each direction does one thing at a time") {
  const double one = static_cast<double>(bytes) / 1000;
  const Pair p(true);
  float *more[2];
  for (int i = 0; i < 2; ++i) {
    REQUIRE(cudaSetDevice(i) == cudaSuccess);
    REQUIRE(cudaMalloc(&more[i], bytes) == cudaSuccess);
  }
  const auto copy = [&](float *to, int to_device, const float *from, int from_device) {
    CHECK(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, p.stream[from_device]) ==
          cudaSuccess);
  };
  CHECK(total_us([&] {
          copy(more[1], 1, p.data[0], 0);
          copy(more[0], 0, p.data[1], 1);
          p.wait();
        }) == doctest::Approx(one));
  CHECK(emu::timeline().busy_us("link") == doctest::Approx(one));
  CHECK(total_us([&] {
          copy(more[1], 1, p.data[0], 0);
          CHECK(cudaMemcpyPeerAsync(p.data[1], 1, more[0], 0, bytes, p.stream[1]) == cudaSuccess);
          p.wait();
        }) == doctest::Approx(2 * one));
  for (const emu::TimelineBar &bar : emu::timeline().bars)
    CHECK((bar.device == 0 || bar.device == 1 || bar.lane == "host"));
  for (float *memory : more)
    CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("without access a copy takes the way through the host") {
  const Pair p(false);
  const double one = static_cast<double>(bytes) / 1000;
  CHECK(total_us([&] {
          p.copy(0, 1);
          p.wait();
        }) == doctest::Approx(one / 0.7));
  CHECK(emu::timeline().busy_us("through_host") == doctest::Approx(one / 0.7));
}

TEST_CASE("kernels of two devices run at the same time, each with its device's SMs") {
  const Pair p(true);
  emu::TimelineModel model = simple();
  model.kernel_us = 10;
  const auto both = [&](const float *from_0, const float *from_1) {
    for (int i = 0; i < 2; ++i) {
      CHECK(cudaSetDevice(i) == cudaSuccess);
      add<<<n / 256, 256, 0, p.stream[i]>>>(p.data[i], i == 0 ? from_0 : from_1, n);
    }
    p.wait();
  };
  CHECK(total_us([&] { both(p.data[0], p.data[1]); }, model) == doctest::Approx(10));
  CHECK(total_us(
            [&] {
              CHECK(cudaSetDevice(0) == cudaSuccess);
              add<<<n / 256, 256, 0, p.stream[0]>>>(p.data[0], p.data[1], n);
              p.wait();
            },
            model) == doctest::Approx(10 + static_cast<double>(bytes) / 1000));
}

TEST_CASE("an all-reduce keeps both streams busy, from when both have come to it") {
  const Pair p(false);
  ncclComm_t comms[2];
  REQUIRE(ncclCommInitAll(comms, 2, nullptr) == ncclSuccess);
  emu::TimelineModel model = simple();
  model.collective_us = 7;
  const double one = static_cast<double>(bytes) / 1000;
  CHECK(total_us(
            [&] {
              CHECK(cudaMemcpyAsync(
                        p.data[0], p.pinned, bytes, cudaMemcpyHostToDevice, p.stream[0]) ==
                    cudaSuccess);
              ncclGroupStart();
              for (int i = 0; i < 2; ++i)
                ncclAllReduce(p.data[i], p.data[i], n, ncclFloat, ncclSum, comms[i], p.stream[i]);
              CHECK(ncclGroupEnd() == ncclSuccess);
              p.wait();
            },
            model) == doctest::Approx(one + 7 + one));
  int collectives = 0;
  for (const emu::TimelineBar &bar : emu::timeline().bars)
    if (bar.kind == "collective") {
      ++collectives;
      CHECK(bar.begin_us == doctest::Approx(one));
    }
  CHECK(collectives == 2);
  const std::string svg = emu::timeline_svg(emu::timeline());
  CHECK(svg.find("of device 1") != std::string::npos);
  for (const ncclComm_t comm : comms)
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
}

} // namespace
