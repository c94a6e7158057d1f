/// \file
/// The seam between the engine and the time model (course/time_model), a library that the environment names
/// (EMU_MODEL): it is shown each launch before it runs, and may watch what streams do. Programs without it pay nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/engine/launch.hpp"

namespace emu {

class RuntimeWatcher;

class LaunchModel {
public:
  virtual ~LaunchModel() = default;
  /// \returns whether the kernel shall be run, too
  virtual bool launched(const char *name,
                        const void *function,
                        const LaunchConfig &config,
                        const KernelBody &body) = 0;
  /// The launches from here on belong to this part of the program.
  virtual void begins_part(const char *name) = 0;
  /// Blocks that the modelled device holds per SM; -1: not known.
  virtual int resident_blocks(const void *function, int threads, size_t dynamic_shared) = 0;
  /// Who watches what streams do, in a program that the instruments do not; null: nobody.
  virtual RuntimeWatcher *watcher() = 0;
};

/// An allocation that kernels may reach.
struct KnownAllocation {
  uint64_t begin = 0, end = 0; // 0, 0: there is none
  static constexpr int of_each_device = -2; // which has a variable of its own
  int device = 0; // that has it; -1: the host
  bool managed = false;
};
/// The one at an address.
using MemoryAt = KnownAllocation (*)(uint64_t address);
/// What the library exports, as `emu_launch_model`.
using MakeLaunchModel = LaunchModel *(*)(MemoryAt memory_at);

/// Null where EMU_MODEL is not set.
LaunchModel *launch_model();

/// The launches from here on belong to this part of the program.
void model_begins_part(const char *name);

} // namespace emu
