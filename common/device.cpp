#include <cuda_runtime.h>

#include "common/device.hpp"

#include "common/check.hpp"

#ifdef BUILD_FIRST_EMULATOR
#include <observation/devices.hpp>
#endif

#include <cstdio>
#include <fstream>

namespace lab {
namespace {

// The kernel module's version, which bug reports and release notes go by; CUDA tells only its own.
std::string driver_text(int cuda_version) {
  if (on_emulator())
    return "none";
  std::string text = "CUDA " + version_text(cuda_version);
  std::ifstream file("/sys/module/nvidia/version");
  std::string module;
  if (file >> module)
    text = module + ", " + text;
  return text;
}

Device describe(int id) {
  cudaDeviceProp properties;
  LAB_CHECK(cudaGetDeviceProperties(&properties, id));
  int driver = 0;
  LAB_CHECK(cudaDriverGetVersion(&driver));
  Device device;
  device.id = id;
  device.name = properties.name;
  device.compute_major = device_attribute(cudaDevAttrComputeCapabilityMajor, id);
  device.compute_minor = device_attribute(cudaDevAttrComputeCapabilityMinor, id);
  device.sm_count = device_attribute(cudaDevAttrMultiProcessorCount, id);
  device.memory_bytes = properties.totalGlobalMem;
  device.l2_bytes = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize, id));
  device.max_threads_per_sm = device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, id);
  device.shared_bytes_per_sm =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, id));
  device.driver = driver_text(driver);
  device.toolkit = version_text(CUDART_VERSION);
  return device;
}

} // namespace

int device_attribute(cudaDeviceAttr which, int id) {
  int value = 0;
  LAB_CHECK(cudaDeviceGetAttribute(&value, which, id < 0 ? choose_device().id : id));
  return value;
}

const char *backend() { return on_emulator() ? "emulator" : "cuda"; }

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string size_text(double bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024.0 && unit < 4) {
    bytes /= 1024.0;
    ++unit;
  }
  char text[32];
  const bool whole = bytes >= 100.0 || bytes == static_cast<double>(static_cast<int>(bytes));
  std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

std::string device_trouble(int cuda_error, int device_count, int wanted, int driver, int runtime) {
  const auto error = static_cast<cudaError_t>(cuda_error);
  // Without any driver CUDA reports its version as 0 and, by toolkit, either of two errors.
  if (driver == 0 && (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice))
    return "no NVIDIA driver found: install it (nvidia-smi must work), or build for the CPU "
           "with the preset cpu";
  if (error == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is too old: it serves CUDA " + version_text(driver) +
           ", this program needs " + version_text(runtime) +
           "; update the driver or build with an older toolkit";
  if (error == cudaErrorNoDevice || (error == cudaSuccess && device_count == 0))
    return "no CUDA device found: nvidia-smi lists what is there, CUDA_VISIBLE_DEVICES may hide "
           "it; the preset cpu needs no GPU";
  if (error != cudaSuccess)
    return std::string("CUDA does not start: ") + cudaGetErrorName(error) + ": " +
           cudaGetErrorString(error);
  if (wanted < 0 || wanted >= device_count)
    return "there is no device " + std::to_string(wanted) + ": devices 0 to " +
           std::to_string(device_count - 1) + " are there";
  return "";
}

const Device &choose_device(int id) {
  static Device chosen;
  static bool done = false;
  if (done && (id < 0 || chosen.id == id))
    return chosen;
  id = id < 0 ? 0 : id;
  int driver = 0, runtime = 0, count = 0;
  // These two never fail for want of a device; without a driver the version stays 0.
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  const cudaError_t error = cudaGetDeviceCount(&count);
  const std::string trouble = device_trouble(error, count, id, driver, runtime);
  if (!trouble.empty()) {
    (void)cudaGetLastError();
    throw EnvironmentError(trouble);
  }
  LAB_CHECK(cudaSetDevice(id));
  chosen = describe(id);
  done = true;
  return chosen;
}

int want_devices(int count) {
#ifdef BUILD_FIRST_EMULATOR
  return emu::want_devices(count);
#else
  if (cudaGetDeviceCount(&count) == cudaSuccess)
    return count;
  (void)cudaGetLastError();
  return 0;
#endif
}

std::string summary(const Device &device) {
  std::string text = device.name;
  text += " · sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor);
  text += " · " + std::to_string(device.sm_count) + " SMs";
  text += " · " + size_text(static_cast<double>(device.memory_bytes));
  text += " · L2 " + size_text(static_cast<double>(device.l2_bytes));
  return text;
}

} // namespace lab
