#pragma once

#include "demos/which_device.cuh"
#include "steps/team.hpp"

#include <thread>

namespace demo_current {

constexpr int length = 100;

struct Pieces { // of device 0 and of another device
  lab::DeviceBuffer<int> memory[2];
  cudaStream_t stream[2];
  cudaEvent_t event[2], timed[2];

  explicit Pieces(const int (&devices)[2]) {
    for (int d = 0; d < 2; ++d) {
      const OnDevice current(devices[d]);
      memory[d] = lab::DeviceBuffer<int>(length);
      LAB_CHECK(cudaStreamCreate(&stream[d]));
      LAB_CHECK(cudaEventCreateWithFlags(&event[d], cudaEventDisableTiming));
      LAB_CHECK(cudaEventCreate(&timed[d]));
    }
  }
  ~Pieces() {
    for (int d = 0; d < 2; ++d) {
      cudaEventDestroy(timed[d]);
      cudaEventDestroy(event[d]);
      cudaStreamDestroy(stream[d]);
    }
  }
};

// A call that is made while device 0 is current.
struct Call {
  const char *what;
  bool allowed;
  cudaError_t (*make)(Pieces &);
};

inline cudaError_t elapsed(Pieces &p) {
  LAB_CHECK(cudaEventRecord(p.timed[0], p.stream[0]));
  {
    const OnDevice current(devices_of_ranks()[1]);
    LAB_CHECK(cudaEventRecord(p.timed[1], p.stream[1]));
  }
  synchronize_all();
  float ms = 0;
  return cudaEventElapsedTime(&ms, p.timed[0], p.timed[1]);
}

// p.…[0] is device 0's, p.…[1] the other one's. Each answers with the error, and leaves none behind.
constexpr Call calls[] = {
    {"a copy, in a stream of the other device",
     true,
     [](Pieces &p) {
       return cudaMemcpyAsync(p.memory[1].data(),
                              p.memory[1].data() + length / 2,
                              length / 2 * sizeof(int),
                              cudaMemcpyDeviceToDevice,
                              p.stream[1]);
     }},
    {"a memset, in a stream of the other device",
     true,
     [](Pieces &p) {
       return cudaMemsetAsync(p.memory[1].data(), 0, length * sizeof(int), p.stream[1]);
     }},
    {"record an event of this device, stream of the other",
     false,
     [](Pieces &p) { return cudaEventRecord(p.event[0], p.stream[1]); }},
    {"record the other device's event, in its stream",
     true,
     [](Pieces &p) { return cudaEventRecord(p.event[1], p.stream[1]); }},
    {"this device's stream waits for the other's event",
     true,
     [](Pieces &p) { return cudaStreamWaitEvent(p.stream[0], p.event[1]); }},
    {"time between events of two devices", false, elapsed},
    {"wait for a stream of the other device",
     true,
     [](Pieces &p) { return cudaStreamSynchronize(p.stream[1]); }},
};

inline void show_calls(lab::Demo &demo) {
  const std::vector<int> &devices = devices_of_ranks();
  const int both[] = {devices[0], devices[1]};
  Pieces pieces(both);
  demo.say("\nDevice 0 is current. Then the host asks for …\n\n");
  for (const Call &call : calls) {
    const cudaError_t error = call.make(pieces);
    static_cast<void>(cudaGetLastError());
    demo.say("  %-52s %s\n", call.what, error == cudaSuccess ? "right" : cudaGetErrorName(error));
    demo.expect((error == cudaSuccess) == call.allowed, call.what);
  }
  synchronize_all();
}

// Where kernels run that are launched while device 0 is current.
inline void show_kernels(lab::Demo &demo) {
  const std::vector<int> &devices = devices_of_ranks();
  const int both[] = {devices[0], devices[1]};
  Pieces pieces(both);
  tell_devices_apart();
  const lab::PinnedBuffer<int> where(1);
  demo.say("\nDevice 0 is current, and a kernel is launched …\n\n");
  struct Row {
    const char *what;
    cudaStream_t stream;
    int expected;
  };
  for (const Row &row : {Row{"without a stream", nullptr, both[0]},
                         Row{"in a stream of device 0", pieces.stream[0], both[0]},
                         Row{"in a stream of the other device", pieces.stream[1], both[1]}}) {
    *where.data() = -1;
    note_device<<<1, 1, 0, row.stream>>>(where.data());
    const cudaError_t error = cudaGetLastError();
    synchronize_all();
    if (error != cudaSuccess) { // as CUDA's guide has it; CUDA 13 does not refuse it
      demo.say("  %-52s %s\n", row.what, cudaGetErrorName(error));
      continue;
    }
    demo.say("  %-52s runs on device %d\n", row.what, *where.data());
    demo.expect(*where.data() == row.expected, row.what);
  }
}

inline void run(lab::Demo &demo) {
  int mine = -1, new_thread = -1, after = -1;
  const int other = devices_of_ranks()[1];
  {
    const OnDevice current(other);
    LAB_CHECK(cudaGetDevice(&mine));
    std::thread([&] { LAB_CHECK(cudaGetDevice(&new_thread)); }).join();
  }
  LAB_CHECK(cudaGetDevice(&after));
  demo.say("this thread has chosen device      %d\n", mine);
  demo.say("a thread that it starts begins with %d\n", new_thread);
  demo.expect(mine == other && new_thread == 0 && after == 0, "each thread has a device current");
  if (ranks_have_devices()) {
    show_kernels(demo);
    show_calls(demo);
  } else
    demo.say("\nWhat belongs to whom shows with two devices or more.\n");
}

} // namespace demo_current
