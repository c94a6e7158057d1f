#pragma once

#include "ladder/chapter.hpp"

#include <string>

namespace demo_device {

inline const char *compute_mode(int device) {
  switch (lab::device_attribute(cudaDevAttrComputeMode, device)) {
  case cudaComputeModeDefault:
    return "default: any number of processes";
  case cudaComputeModeProhibited:
    return "prohibited: no process may compute on it";
  default:
    return "exclusive: one process at a time";
  }
}

/// Says a long text in lines of at most 76 characters, four of them indentation.
inline void say_folded(lab::Demo &demo, const std::string &text) {
  std::size_t begin = 0;
  while (text.size() - begin > 72) {
    const std::size_t end = text.rfind(' ', begin + 72);
    demo.say("    %s\n", text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
  demo.say("    %s\n", text.substr(begin).c_str());
}

/// What the runtime says about one device.
inline void describe(lab::Demo &demo, int device) {
  cudaDeviceProp properties;
  LAB_CHECK(cudaGetDeviceProperties(&properties, device));
  const int *block = properties.maxThreadsDim;
  const int *grid = properties.maxGridSize;
  demo.say("device %d: %s\n", device, properties.name);
  demo.say("  compute capability       %d.%d\n", properties.major, properties.minor);
  demo.say("  toolkit, driver          CUDA %s, %s\n",
           lab::choose_device().toolkit.c_str(),
           lab::choose_device().driver.c_str());
  demo.say("  multiprocessors (SMs)    %d\n", properties.multiProcessorCount);
  demo.say("  threads per warp         %d\n", properties.warpSize);
  demo.say("  threads per block        at most %d, at most (%d, %d, %d)\n",
           properties.maxThreadsPerBlock,
           block[0],
           block[1],
           block[2]);
  demo.say("  threads per SM           at most %d\n", properties.maxThreadsPerMultiProcessor);
  demo.say("  blocks per grid          at most (%d, %d, %d)\n", grid[0], grid[1], grid[2]);
  demo.say("  registers per SM         %d of 32 bits\n", properties.regsPerMultiprocessor);
  demo.say("  shared memory per SM     %s\n",
           lab::size_text(static_cast<double>(properties.sharedMemPerMultiprocessor)).c_str());
  demo.say("  L2 cache                 %s\n", lab::size_text(properties.l2CacheSize).c_str());
  demo.say("  compute mode             %s\n", compute_mode(device));
  demo.say("  threads resident at once %d x %d = %d\n",
           properties.multiProcessorCount,
           properties.maxThreadsPerMultiProcessor,
           properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor);

  demo.value("threads_per_block", properties.maxThreadsPerBlock);
  demo.value("threads_per_sm", properties.maxThreadsPerMultiProcessor);
  demo.value("sms", properties.multiProcessorCount);
  demo.value("registers_per_sm", properties.regsPerMultiprocessor);
  demo.value("shared_kib_per_sm",
             static_cast<double>(properties.sharedMemPerMultiprocessor) / 1024);
  demo.value("l2_mib", properties.l2CacheSize / 1048576.0);
  demo.value("memory_gib", static_cast<double>(properties.totalGlobalMem) / 1073741824.0);
  demo.value("clock_mhz", lab::device_attribute(cudaDevAttrClockRate, device) / 1000.0);
  // Two transfers per clock on each wire: the memory is of the DDR kind.
  demo.value("memory_peak_gbps",
             2e-6 * lab::device_attribute(cudaDevAttrMemoryClockRate, device) *
                 lab::device_attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8);
  demo.value("resident_threads",
             properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor);

  demo.expect(properties.warpSize == 32, "a warp has 32 threads");
  demo.expect(properties.maxThreadsPerBlock == 1024 && block[0] == 1024 && block[1] == 1024 &&
                  block[2] == 64,
              "a block has at most 1024 threads, and at most (1024, 1024, 64)");
  demo.expect(properties.multiProcessorCount > 0, "a device has multiprocessors");
}

inline void run(lab::Demo &demo) {
  int devices = 0;
  LAB_CHECK(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; ++device)
    describe(demo, device);
  demo.expect(devices > 0, "a program that runs has a device");

  const auto say_trouble =
      [&](const char *when, cudaError_t error, int count, int wanted, int driver) {
        const std::string message =
            lab::device_trouble(error, count, wanted, driver, CUDART_VERSION);
        demo.say("  %s\n", when);
        say_folded(demo, message);
        demo.expect(!message.empty(), "every trouble has a message");
      };
  demo.say("\nwhat these programs say, and exit with code 3, on a machine with\n");
  say_trouble("no driver:", cudaErrorInsufficientDriver, 0, 0, 0);
  say_trouble("an old driver:", cudaErrorInsufficientDriver, 0, 0, 11040);
  say_trouble("no device:", cudaErrorNoDevice, 0, 0, CUDART_VERSION);
  say_trouble("too few devices:", cudaSuccess, 1, 3, CUDART_VERSION);
}

} // namespace demo_device
