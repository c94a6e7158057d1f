/// \file
/// A GPU as the time model knows it. Times are in cycles of the SM, unless another unit is named.
#pragma once

#include "chapters/11_occupancy/calculator.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace model {

/// What steps need beside their kernels: rates in 10^9 bytes per second, times in microseconds.
struct Transfers {
  double link = 0, link_both = 0; // to and from page-locked memory; both ways at once, together
  double pageable_to_device = 0, pageable_to_host = 0; // staged, while the host waits
  double load_host = 0, store_host = 0; // by kernels, of memory that stays on the host
  double fault = 0, make = 0, host_fault = 0; // pages that a kernel, or the host, has to wait for
  double prefetch_to_device = 0, prefetch_to_host = 0;
  double prefetch_made = 0; // pages that nobody has touched before
  // From device to device; both: to and from one of them at the same time, together.
  double peer_copy = 0, peer_copy_both = 0, peer_load = 0, peer_load_both = 0, peer_store = 0,
         peer_store_both = 0;
  double through_host = 0; // where neither can reach the other
  double collective = 0; // NCCL's all-reduce
  double next_us = 0; // between two tasks of one engine
  double handoff_us = 0; // from one engine or device to another
  double peer_copy_us = 0; // of a copy from device to device, before it gets going
  double collective_us = 0;
  double host_call_us = 0;
};

struct Device {
  std::string key, name;
  int sms = 0;
  double clock_ghz = 0;
  occupancy::Limits limits{};
  double l1_kib = 0; // of an SM, with what is not shared memory's own
  double l2_mib = 0;
  double read_gbps = 0, copy_gbps = 0; // that a program reaches
  double scattered_share = 1; // of read_gbps, where pieces of 64 bytes lie far apart
  double l2_bytes_per_cycle = 0; // between all SMs and the L2
  double fp32_per_cycle = 0, int32_per_cycle = 0, imad_per_cycle = 0, fp64_per_cycle = 0;
  double special_per_cycle = 0; // lanes of an SM
  double latency_alu = 4, latency_fp64 = 8, latency_special = 20, latency_shuffle = 24;
  double latency_shared = 29, latency_l1 = 40, latency_l2 = 288, latency_dram = 667;
  double latency_constant = 34, latency_barrier = 20;
  double barrier_threads_per_cycle = 16; // that arrive, of an SM
  double shared_wavefronts_per_cycle = 1;
  double memory_queue =
      100; // cycles that requests queue for, where the memory is busy half of the time
  double issue_blocked =
      0; // of the time that an instruction waits for its unit, in which no other is issued
  double partial_sector = 1; // cycles of an SM's share for a sector that is stored in part
  // A sector whose parts warps store one after the other, each as soon as it can: the L2 may have to fill it from
  // memory before the last one comes, and is at work for so long with it; where so many sectors came in a
  // nanosecond, it had to fill them all.
  double fill_ns = 0.13, all_filled_per_ns = 250;
  double block_start = 300; // from a block's launch to its first instruction
  double block_launch = 100,
         warp_launch = 4; // between the launches of an SM's blocks, of its warps
  double launch_us = 2.5, next_launch_us = 1.2; // of a kernel; of one behind another
  double idle_us = 3; // from an event on an idle GPU to the launch behind it, by the host
  double cold_us = 1; // more where nothing that is loaded is in the L2
  // Of atomics, in the L2: sectors that they change in part, and whole.
  double atomics_per_ns = 1.4, whole_atomics_per_ns = 1.75;
  double float_atomics_per_ns = 0.58; // additions of floats or doubles, of one sector
  std::optional<Transfers> transfers; // none: nothing is known but kernels

  /// Of so many turns of atomics in one home, of which so many change whole sectors.
  double atomic_ns(double turns, double whole) const {
    return (turns - whole) / atomics_per_ns + whole / whole_atomics_per_ns;
  }

  /// In which a slice of the L2 hands out 64 bytes or a part of them. The A100's paper has 5120 bytes a cycle, of
  /// which an H200's SMs get 4382 where they ask for whole lines.
  double l2_turns_per_cycle() const { return l2_bytes_per_cycle * 5120 / 4382 / 64; }
};

/// \throws std::runtime_error that names what the file lacks
Device read_device(const std::filesystem::path &file);

} // namespace model
