// The model of observation/timeline.hpp, worked out by hand.
#include <doctest/doctest.h>

#include <cuda_runtime.h>

#include <observation/observe.hpp>
#include <observation/timeline.hpp>

#include <algorithm>
#include <future>
#include <thread>

namespace {

constexpr int n = 1 << 18;
constexpr size_t bytes = n * sizeof(float); // 1 MiB: 41.94 us at 25 GB/s

__global__ void twice(float *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count)
  if (i < count)
    values[i] *= 2;
}

/// A model with round numbers: nothing but copies and kernels takes time.
emu::TimelineModel simple() {
  emu::TimelineModel model;
  model.submit_us = 0;
  model.copy_us = 0;
  model.kernel_us = 10;
  model.link_gb_per_s = 1;
  model.pageable_gb_per_s = 0.5;
  model.memory_gb_per_s = 1e9;
  model.block_rate = 1e9;
  return model;
}

struct Fixture {
  cudaStream_t streams[3];
  float *device, *pinned;

  Fixture() {
    for (cudaStream_t &stream : streams)
      REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaMalloc(&device, bytes) == cudaSuccess);
    REQUIRE(cudaMallocHost(&pinned, bytes) == cudaSuccess);
    std::fill(pinned, pinned + n, 1.0f);
  }
  ~Fixture() {
    for (cudaStream_t stream : streams)
      cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(pinned);
  }
};

template <class Work> emu::Timeline timeline_of(const emu::TimelineModel &model, Work work) {
  emu::set_timeline_model(model);
  emu::start_observing();
  work();
  CHECK(emu::stop_observing().hazards.empty());
  return emu::timeline();
}

/// Copies in, kernel, copies out: in parts, each in the stream that is next.
emu::Timeline pipeline(Fixture &f, const emu::TimelineModel &model, int parts, int stream_count) {
  return timeline_of(model, [&] {
    for (int part = 0; part < parts; ++part) {
      const int count = n / parts;
      const size_t size = count * sizeof(float);
      const cudaStream_t stream = f.streams[part % stream_count];
      float *const device = f.device + part * count, *const host = f.pinned + part * count;
      cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream);
      twice<<<(count + 255) / 256, 256, 0, stream>>>(device, count);
      cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream);
    }
    cudaDeviceSynchronize();
  });
}

constexpr double whole = bytes / 1e3; // us that one direction takes at 1 GB/s

} // namespace

TEST_CASE("in one stream everything comes after everything") {
  Fixture f;
  const emu::Timeline t = pipeline(f, simple(), 4, 1);
  CHECK(t.total_us == doctest::Approx(2 * whole + 4 * 10));
  CHECK(t.busy_us("to_device") == doctest::Approx(whole));
  CHECK(t.busy_us("to_host") == doctest::Approx(whole));
  CHECK(t.busy_us("sms") == doctest::Approx(4 * 10));
}

TEST_CASE("in three streams, both directions and the kernels overlap") {
  Fixture f;
  const emu::Timeline t = pipeline(f, simple(), 4, 3);
  // The last part's copy in ends at `whole`; its kernel and its copy out follow.
  CHECK(t.total_us == doctest::Approx(whole + 10 + whole / 4));
  for (const emu::TimelineBar &bar : t.bars) {
    if (bar.engine == "host")
      continue;
    CHECK(bar.line > 0);
    for (const emu::TimelineBar &other : t.bars)
      if (&bar != &other && bar.engine == other.engine && bar.engine != "sms")
        CHECK((bar.end_us <= other.begin_us || other.end_us <= bar.begin_us));
  }
}

TEST_CASE("what streams do waits for events") {
  Fixture f;
  cudaEvent_t event;
  cudaEventCreate(&event);
  const emu::Timeline t = timeline_of(simple(), [&] {
    cudaMemcpyAsync(f.device, f.pinned, bytes, cudaMemcpyHostToDevice, f.streams[0]);
    cudaEventRecord(event, f.streams[0]);
    cudaStreamWaitEvent(f.streams[1], event, 0);
    twice<<<n / 256, 256, 0, f.streams[1]>>>(f.device, n);
    cudaDeviceSynchronize();
  });
  REQUIRE(t.bars.size() == 3); // and the host waits
  CHECK(t.bars[1].kind == "kernel");
  CHECK(t.bars[1].begin_us == doctest::Approx(whole));
  CHECK(t.bars[1].bytes == 2 * bytes); // read and written
  CHECK(t.bars[2].engine == "host");
  CHECK(t.bars[2].end_us == doctest::Approx(t.total_us));
  cudaEventDestroy(event);
}

TEST_CASE("kernels share the SMs as long as there are any") {
  Fixture f;
  const auto total = [&](unsigned blocks) {
    return timeline_of(simple(),
                       [&] {
                         for (int i = 0; i < 3; ++i)
                           twice<<<blocks, 256, 0, f.streams[i]>>>(f.device, 0);
                         cudaDeviceSynchronize();
                       })
        .total_us;
  };
  CHECK(total(44) == doctest::Approx(10)); // 3 x 44 are 132
  CHECK(total(45) == doctest::Approx(20)); // two, then the third
  CHECK(total(200) == doctest::Approx(30));
}

TEST_CASE("pageable memory: slower, and the host waits") {
  Fixture f;
  std::vector<float> pageable(n);
  const emu::Timeline t = timeline_of(simple(), [&] {
    cudaMemcpyAsync(f.device, pageable.data(), bytes, cudaMemcpyHostToDevice, f.streams[0]);
    twice<<<n / 256, 256, 0, f.streams[1]>>>(f.device, n);
    cudaDeviceSynchronize();
  });
  CHECK(t.total_us == doctest::Approx(2 * whole + 10));
}

TEST_CASE("each thread of the host waits in a lane of its own") {
  const Fixture f;
  const emu::Timeline t = timeline_of(simple(), [&] {
    std::promise<void> first_done;
    const auto work = [&](int i) {
      cudaMemsetAsync(f.device + 32 * i, 0, 32 * sizeof(float), f.streams[i]);
      cudaStreamSynchronize(f.streams[i]);
    };
    std::thread first([&] {
      work(0);
      first_done.set_value();
    });
    std::thread second([&] {
      first_done.get_future().wait();
      work(1);
    });
    first.join();
    second.join();
  });
  REQUIRE(t.bars.size() == 4);
  CHECK(t.bars[2].lane == "host");
  CHECK(t.bars[3].lane == "host thread 2");
}

TEST_CASE("one launch of a graph costs the host as much as one of a kernel") {
  Fixture f;
  emu::TimelineModel model = simple();
  model.submit_us = 50;
  model.kernel_us = 1;
  constexpr int launches = 20;
  const auto launch_all = [&] {
    for (int i = 0; i < launches; ++i)
      twice<<<1, 32, 0, f.streams[0]>>>(f.device, 0);
  };
  const emu::Timeline each = timeline_of(model, [&] {
    launch_all();
    cudaStreamSynchronize(f.streams[0]);
  });
  CHECK(each.total_us == doctest::Approx(launches * 50 + 1));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(f.streams[0], cudaStreamCaptureModeGlobal);
  launch_all();
  REQUIRE(cudaStreamEndCapture(f.streams[0], &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  const emu::Timeline together = timeline_of(model, [&] {
    cudaGraphLaunch(exec, f.streams[0]);
    cudaStreamSynchronize(f.streams[0]);
  });
  CHECK(together.total_us == doctest::Approx(50 + launches));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

TEST_CASE("as JSON and as a picture") {
  Fixture f;
  const emu::Timeline t = pipeline(f, simple(), 2, 2);
  const std::string json = emu::timeline_json(t), svg = emu::timeline_svg(t);
  CHECK(json.find("\"lane\": \"stream ") != std::string::npos);
  CHECK(json.find("\"engine\": \"to_device\"") != std::string::npos);
  CHECK(svg.rfind("<svg", 0) == 0);
  CHECK(svg.find("to device") != std::string::npos);
}
