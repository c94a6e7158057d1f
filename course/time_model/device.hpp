/// \file
/// A GPU as the time model knows it. Times are in cycles of the SM, unless another unit is named.
#pragma once

#include "chapters/11_occupancy/calculator.hpp"

#include <filesystem>
#include <string>

namespace model {

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
  double shared_wavefronts_per_cycle = 1;
  double memory_queue =
      100; // cycles that requests queue for, where the memory is busy half of the time
  double issue_blocked =
      0; // of the time that an instruction waits for its unit, in which no other is issued
  double partial_sector = 1; // cycles of an SM's share for a sector that is stored in part
  double block_start = 300; // from a block's launch to its first instruction
  double block_launch = 100,
         warp_launch = 4; // between the launches of an SM's blocks, of its warps
  double launch_us = 2.5, next_launch_us = 1.2; // of a kernel; of one behind another
  double idle_us = 3; // from an event on an idle GPU to the launch behind it, by the host
  double cold_us = 1; // more where nothing is in the L2
  double atomics_per_ns = 1.4; // on one address, in the L2
};

/// \throws std::runtime_error that names what the file lacks
Device read_device(const std::filesystem::path &file);

} // namespace model
