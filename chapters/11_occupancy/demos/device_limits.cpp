#include "calculator.hpp"
#include "ladder/chapter.hpp"

namespace occupancy {

Limits device_limits() {
  cudaDeviceProp p;
  LAB_CHECK(cudaGetDeviceProperties(&p, lab::choose_device().id));
  const Limits *known = find_limits(p.major, p.minor);
  Limits limits = known != nullptr ? *known
                                   : *find_limits(p.major < 8   ? 7
                                                  : p.major < 9 ? 8
                                                                : 9,
                                                  0);
  limits.example = "this device";
  limits.major = p.major;
  limits.minor = p.minor;
  limits.threads = p.maxThreadsPerMultiProcessor;
  limits.blocks = p.maxBlocksPerMultiProcessor;
  limits.registers = p.regsPerMultiprocessor;
  limits.shared = p.sharedMemPerMultiprocessor;
  limits.shared_per_block = p.sharedMemPerBlockOptin;
  limits.shared_reserved = p.reservedSharedMemPerBlock;
  return limits;
}

} // namespace occupancy
