/// \file
/// The host threads that run the blocks of a launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/engine/launch.hpp"
#include "engine/drawn_order.hpp"
#include "engine/failures.hpp"
#include "engine/resident.hpp"
#include "engine/watcher.hpp"

namespace emu {

/// A launch from inside a kernel: begins when that has ended, as no GPU promises to begin it before.
struct Child {
  const char *name;
  const void *function;
  LaunchConfig config;
  KernelBody body;
  std::shared_ptr<void> arguments;
};

/// One kernel launch, seen by all host threads that work on it.
struct RunningLaunch : Failures {
  RunningLaunch(const char *kernel_name,
                const LaunchConfig &launch_config,
                KernelBody kernel_body,
                uint64_t block_count,
                uint64_t blocks_at_a_time)
      : Failures{kernel_name}, config(launch_config), body(kernel_body), blocks(block_count),
        chunk(blocks_at_a_time), barrier(block_count) {}

  LaunchConfig config;
  KernelBody body;
  uint64_t blocks;
  uint64_t chunk; // blocks that a host thread takes at a time
  int device = 0;
  bool alone = false; // on the host thread that launches it
  std::atomic<uint64_t> next{0};
  /// Whether blocks take turns, because they may wait for each other. A grid of one block needs none
  /// of that.
  bool resident() const { return config.cooperative && blocks > 1; }
  /// Blocks of a cluster; 1: there are none.
  uint64_t cluster_blocks() const {
    return config.cluster.x == 0 ? 1
                                 : uint64_t{config.cluster.x} * config.cluster.y * config.cluster.z;
  }
  /// Whether blocks take turns, some at a time, so that what one does comes between what another
  /// does: in a drawn order, when nobody looks on.
  bool interleaved() const {
    return kernel_watcher && !kernel_watcher->is_observing() && drawn_order().drawn() &&
           blocks > 1 && !resident() && cluster_blocks() == 1;
  }
  GridBarrier barrier; // of a cooperative launch
  size_t static_shared = 0; // bytes that its variables turned out to take
  std::vector<Child> children; // that its threads launched, under a lock
};

/// The launch that is running, of all devices'; null: none is.
RunningLaunch *running_launch();
void set_running(RunningLaunch *launch);

/// Number of host threads that run blocks: EMU_THREADS, else the number of cores.
int worker_count();

/// Runs all blocks of a launch, or those up to its failure.
void run_blocks(RunningLaunch &launch);

} // namespace emu
