/// @file
/// The device a program runs on: chosen with clear messages, described in a few figures.
#pragma once

#include <cuda_runtime.h> // says whether this is the emulator

#include <cstddef>
#include <string>

namespace lab {

/// The figures of a device that lessons speak of.
struct Device {
  int id = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  int max_threads_per_sm = 0;
  std::size_t shared_bytes_per_sm = 0;
  std::string driver; ///< "580.159.04, CUDA 13.0"; on the emulator "none"
  std::string toolkit; ///< "13.0": what the program was built with

  /// How many blocks of this many threads the device holds at a time, by threads alone.
  int resident_blocks(int threads_per_block) const {
    return sm_count * (max_threads_per_sm / threads_per_block);
  }
};

/// "cuda" on a GPU, "emulator" on the CPU.
const char *backend();

/// True on the CPU backend, where a time says nothing about a GPU.
constexpr bool on_emulator() {
#ifdef BUILD_FIRST_EMULATOR
  return true;
#else
  return false;
#endif
}

/// For programs that are about several devices: asks the emulator for so many. EMU_DEVICES in the
/// environment wins over it, and on a GPU there are those that there are. To be called first in main,
/// before anything of CUDA's.
/// @return how many there are; 0 if CUDA does not start (choose_device tells why)
int want_devices(int count);

/// Makes device `id` current and describes it. Chosen once; later calls answer the same.
///
/// @param id -1: the one that was chosen before, or device 0
/// @throws EnvironmentError with what to do about it: no driver, a driver too old for the toolkit,
///         no device, no device of this number.
const Device &choose_device(int id = -1);

/// What CUDA says of a device: of the chosen one, unless another is named.
int device_attribute(cudaDeviceAttr which, int id = -1);

/// The message choose_device gives for this outcome of cudaGetDeviceCount; empty when all is well.
/// Apart, so that each message can be tested on a machine that has none of these troubles.
std::string device_trouble(int cuda_error, int device_count, int wanted, int driver, int runtime);

/// "NVIDIA H200 · sm_90 · 132 SMs · 140 GiB · L2 60 MiB": one line for people.
std::string summary(const Device &device);

/// "13.0" for CUDA's 13000.
std::string version_text(int version);

/// 1.5 GiB, 64 MiB, 12 B: a size for people.
std::string size_text(double bytes);

} // namespace lab
