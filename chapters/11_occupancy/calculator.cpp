#include "calculator.hpp"

#include <cstdio>

namespace occupancy {
namespace {

constexpr size_t kib = 1024;

int smaller(int a, int b) { return b < a ? b : a; }
size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// Each part has a quarter of the registers, and holds whole warps.
int blocks_by_registers(const Limits &limits, int warps, int registers) {
  const size_t of_warp = round_up(static_cast<size_t>(registers) * warp_size, register_unit);
  if (of_warp == 0)
    return no_limit;
  const int per_partition = limits.registers / partitions / static_cast<int>(of_warp);
  return per_partition * partitions / warps;
}

int blocks_by_shared(const Limits &limits, size_t shared) {
  if (shared > limits.shared_per_block)
    return 0;
  const size_t of_block = round_up(shared + limits.shared_reserved, limits.shared_unit);
  return of_block == 0 ? no_limit : static_cast<int>(limits.shared / of_block);
}

// A number of blocks, or a dash where a limit has nothing to say.
std::string count_text(int blocks) { return blocks == no_limit ? "-" : std::to_string(blocks); }

} // namespace

// clang-format off
const Limits known_limits[] = {
    // GPU    version threads blocks registers    shared  per block  kept unit barriers
    {"V100",     7, 0,   2048,   32,    65536,  96 * kib,  96 * kib,    0, 256,  0},
    {"T4",       7, 5,   1024,   16,    65536,  64 * kib,  64 * kib,    0, 256,  0},
    {"A100",     8, 0,   2048,   32,    65536, 164 * kib, 163 * kib, 1024, 128,  0},
    {"RTX 3090", 8, 6,   1536,   16,    65536, 100 * kib,  99 * kib, 1024, 128,  0},
    {"RTX 4090", 8, 9,   1536,   24,    65536, 100 * kib,  99 * kib, 1024, 128,  0},
    {"H200",     9, 0,   2048,   32,    65536, 228 * kib, 227 * kib, 1024, 128, 64},
    {"B200",    10, 0,   2048,   32,    65536, 228 * kib, 227 * kib, 1024, 128, 64},
    {"RTX 5090",12, 0,   1536,   24,    65536, 100 * kib,  99 * kib, 1024, 128, 24},
};
// clang-format on
const int known_count = sizeof known_limits / sizeof known_limits[0];

const Limits *find_limits(int major, int minor) {
  for (const Limits &limits : known_limits)
    if (limits.major == major && limits.minor == minor)
      return &limits;
  return nullptr;
}

Resident resident(const Limits &limits, const Launch &launch) {
  const int warps = (launch.threads + warp_size - 1) / warp_size;
  const bool possible = launch.threads >= 1 && launch.threads <= threads_per_block &&
                        launch.registers >= 0 && launch.registers <= registers_per_thread;
  Resident r = {};
  r.limit = "nothing fits";
  if (!possible)
    return r;
  r.by_threads = limits.threads / warp_size / warps;
  r.by_blocks = limits.blocks;
  r.by_registers = blocks_by_registers(limits, warps, launch.registers);
  r.by_shared = blocks_by_shared(limits, launch.shared);
  const bool counted = limits.barriers > 0 && launch.barriers > 0;
  r.by_barriers = counted ? limits.barriers / launch.barriers : no_limit;

  const int by[] = {r.by_threads, r.by_blocks, r.by_registers, r.by_shared, r.by_barriers};
  const char *const names[] = {"threads", "blocks", "registers", "shared memory", "barriers"};
  r.blocks = by[0];
  for (int blocks : by)
    r.blocks = smaller(r.blocks, blocks);
  r.limit.clear();
  for (int i = 0; i < 5; ++i)
    if (by[i] == r.blocks)
      r.limit += (r.limit.empty() ? "" : ", ") + std::string(names[i]);
  r.warps = r.blocks * warps;
  r.percent = 100.0 * r.warps * warp_size / limits.threads;
  return r;
}

Limits with_carveout(const Limits &limits, int percent, const Launch &launch) {
  const size_t of_block = round_up(launch.shared + limits.shared_reserved, limits.shared_unit);
  const size_t preferred =
      percent < 0 ? limits.shared : limits.shared * static_cast<size_t>(percent) / 100;
  const size_t wanted = preferred < of_block ? of_block : preferred;
  const bool turing = limits.major == 7 && limits.minor == 5;
  Limits carved = limits;
  for (size_t size : {0, 8, 16, 32, 64, 100, 132, 164, 196, 228})
    if (size * kib >= wanted && size * kib < carved.shared && !(turing && size < 32)) {
      carved.shared = size * kib;
      break;
    }
  return carved;
}

std::string table_text(const Launch &launch) {
  std::string text =
      "                 threads  blocks  registers  shared   so  warps         limit\n";
  for (const Limits &limits : known_limits) {
    const Resident r = resident(limits, launch);
    char line[160];
    std::snprintf(line,
                  sizeof line,
                  "  %2d.%d %-9s %8d %7d %10s %7s %4d   %2d %3.0f %%    %s\n",
                  limits.major,
                  limits.minor,
                  limits.example,
                  r.by_threads,
                  r.by_blocks,
                  count_text(r.by_registers).c_str(),
                  count_text(r.by_shared).c_str(),
                  r.blocks,
                  r.warps,
                  r.percent,
                  r.limit.c_str());
    text += line;
  }
  return text;
}

} // namespace occupancy
