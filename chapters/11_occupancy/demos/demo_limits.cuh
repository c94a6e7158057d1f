// What each limit says of a launch, on GPUs of seven kinds.
#pragma once

#include "calculator.hpp"
#include "problem.hpp"

#include <string>
#include <vector>

namespace demo_limits {

using occupancy::Launch;
using occupancy::Limits;

/// For the site's picture: what each kind has, and how many blocks of each launch it holds.
inline void tell_limits(lab::Demo &demo, const std::vector<Launch> &launches) {
  for (int i = 0; i < occupancy::known_count; ++i) {
    const Limits &kind = occupancy::known_limits[i];
    const auto tell = [&](const std::string &key, auto value) {
      demo.value(kind.example + ("." + key), static_cast<double>(value));
    };
    tell("threads", kind.threads);
    tell("blocks", kind.blocks);
    tell("registers", kind.registers);
    tell("shared", kind.shared);
    tell("shared_per_block", kind.shared_per_block);
    tell("shared_reserved", kind.shared_reserved);
    tell("shared_unit", kind.shared_unit);
    for (const Launch &launch : launches)
      tell("blocks_of_" + std::to_string(launch.threads) + "_" + std::to_string(launch.registers) +
               "_" + std::to_string(launch.shared),
           resident(kind, launch).blocks);
  }
}

inline void run(lab::Demo &demo) {
  const std::vector<Launch> launches = {
      {256, 64, 48 << 10}, {256, 64, 32 << 10}, {32, 32, 0}, {33, 32, 0}};
  tell_limits(demo, launches);
  for (const Launch &launch : launches) {
    demo.say("blocks of %d threads, %d registers per thread, %zu KB of shared memory\n%s\n",
             launch.threads,
             launch.registers,
             launch.shared / 1024,
             table_text(launch).c_str());
  }
  demo.say("Your own: --launch THREADS,REGISTERS,SHARED, such as --launch 256,64,48K\n");

  const Limits &a100 = *occupancy::find_limits(8, 0);
  demo.expect(lab::compare_value("blocks, 48 KB", resident(a100, launches[0]).blocks, 3));
  demo.expect(
      lab::compare_value("by registers, 32 KB", resident(a100, launches[1]).by_registers, 4));
  demo.expect(lab::compare_value("blocks, 32 KB", resident(a100, launches[1]).blocks, 4));
  // Where the system keeps nothing of shared memory, a launch without any is not limited by it.
  for (const int minor : {0, 5}) {
    const occupancy::Resident r = resident(*occupancy::find_limits(7, minor), launches[2]);
    demo.expect(lab::compare_value("by shared memory", r.by_shared, occupancy::no_limit));
    demo.expect(r.limit == "blocks", "blocks of one warp are limited by blocks alone");
  }
  // What just lets an A100 take all its 2048 threads.
  demo.expect(lab::compare_value("32 registers", resident(a100, {256, 32, 0}).warps, 64));
  demo.expect(lab::compare_value("33 registers", resident(a100, {256, 33, 0}).warps, 48));
  demo.expect(lab::compare_value("9 KB", resident(a100, {128, 32, 9 * 1024}).warps, 64));
  demo.expect(lab::compare_value("10 KB", resident(a100, {128, 32, 10 * 1024}).blocks, 14));
}

} // namespace demo_limits
