#include "quantities.hpp"

#include "markers.hpp"

#include <fmt/format.h>

namespace tutor::lessons {
namespace {

const std::vector<Quantity> &quantities() {
  using enum Form;
  static const std::vector<Quantity> all = {
      {"load_sectors",
       "sectors per load",
       true,
       {"global_load_sectors"},
       {"global_load_requests"},
       number},
      {"store_sectors",
       "sectors per store",
       true,
       {"global_store_sectors"},
       {"global_store_requests"},
       number},
      {"atomic_sectors",
       "sectors per atomic",
       true,
       {"global_atomic_sectors"},
       {"global_atomic_requests"},
       number},
      {"load_requests", "requests that load", true, {"global_load_requests"}, {}, number},
      {"store_requests", "requests that store", true, {"global_store_requests"}, {}, number},
      {"atomic_requests",
       "requests of global atomics",
       true,
       {"global_atomic_requests"},
       {},
       number},
      {"global_sectors",
       "sectors of global memory",
       true,
       {"global_load_sectors", "global_store_sectors", "global_atomic_sectors"},
       {},
       number},
      {"shared_requests",
       "requests to shared memory",
       true,
       {"shared_load_requests", "shared_store_requests"},
       {},
       number},
      {"shared_load_wavefronts",
       "wavefronts per shared load",
       true,
       {"shared_load_wavefronts"},
       {"shared_load_requests"},
       number},
      {"shared_store_wavefronts",
       "wavefronts per shared store",
       true,
       {"shared_store_wavefronts"},
       {"shared_store_requests"},
       number},
      {"shared_wavefronts",
       "wavefronts per shared request",
       true,
       {"shared_load_wavefronts", "shared_store_wavefronts"},
       {"shared_load_requests", "shared_store_requests"},
       number},
      {"shared_atomic_requests",
       "requests of shared atomics",
       true,
       {"shared_atomic_requests"},
       {},
       number},
      {"shared_atomic_wavefronts",
       "wavefronts per shared atomic",
       true,
       {"shared_atomic_wavefronts"},
       {"shared_atomic_requests"},
       number},
      {"instructions", "instructions of warps", false, {"instructions"}, {}, number},
      {"lanes", "threads per instruction", false, {"lanes"}, {}, number},
      {"registers", "registers per thread", false, {"registers"}, {}, number},
      {"occupancy", "occupancy achieved", false, {"occupancy"}, {}, percent},
      {"threads", "threads launched", false, {"threads"}, {}, number},
      {"blocks", "blocks launched", false, {"blocks"}, {}, number},
      {"dram_read", "read from DRAM", false, {"dram_read"}, {}, bytes},
      {"dram_written", "written to DRAM", false, {"dram_written"}, {}, bytes},
      {"l1_hit", "sectors found in L1", false, {"l1_hit"}, {}, percent},
      {"l2_hit", "sectors found in L2", false, {"l2_hit"}, {}, percent},
      {"ipc", "instructions per cycle and SM", false, {"ipc"}, {}, number},
      {"eligible", "warps ready per scheduler", false, {"eligible"}, {}, number},
      {"dram", "DRAM busy", false, {"unit_dram"}, {}, percent},
      {"l2", "L2 busy", false, {"unit_l2"}, {}, percent},
      {"l1", "L1 busy", false, {"unit_l1"}, {}, percent},
      {"shared", "shared memory busy", false, {"unit_shared"}, {}, percent},
      {"fma", "FMA pipe busy", false, {"unit_fma"}, {}, percent},
      {"alu", "ALU pipe busy", false, {"unit_alu"}, {}, percent},
      {"issue", "issue slots used", false, {"unit_issue"}, {}, percent}};
  return all;
}

} // namespace

const Quantity &quantity_of(const std::string &name) {
  std::string known;
  for (const Quantity &quantity : quantities()) {
    if (quantity.name == name)
      return quantity;
    known += fmt::format("{}, ", quantity.name);
  }
  throw LessonError(
      fmt::format("unknown quantity '{}': use {}ladder:COLUMN or results:KEY", name, known));
}

const Names stall_names = {{"stall_long_scoreboard", "global memory (long scoreboard)"},
                           {"stall_short_scoreboard", "shared memory (short scoreboard)"},
                           {"stall_barrier", "the barrier"},
                           {"stall_membar", "a fence (membar)"},
                           {"stall_wait", "its last instruction (wait)"},
                           {"stall_mio_throttle", "the queue to shared memory (MIO throttle)"},
                           {"stall_lg_throttle", "the queue to global memory (LG throttle)"},
                           {"stall_tex_throttle", "the queue to textures (TEX throttle)"},
                           {"stall_math_pipe_throttle", "arithmetic (math pipe throttle)"},
                           {"stall_not_selected", "its turn (not selected)"},
                           {"stall_dispatch", "dispatch"},
                           {"stall_branch_resolving", "a branch (branch resolving)"},
                           {"stall_no_instruction", "instructions (no instruction)"},
                           {"stall_imc_miss", "constants (IMC miss)"},
                           {"stall_drain", "stores (drain)"},
                           {"stall_sleeping", "its alarm (sleeping)"},
                           {"stall_misc", "other"}};
const Names unit_names = {{"unit_dram", "DRAM"},
                          {"unit_l2", "L2"},
                          {"unit_l1", "L1"},
                          {"unit_shared", "shared memory"},
                          {"unit_lsu", "load/store unit"},
                          {"unit_issue", "issue slots"},
                          {"unit_fma", "FMA pipe"},
                          {"unit_alu", "ALU pipe"},
                          {"unit_fp64", "FP64 pipe"},
                          {"unit_xu", "special functions"},
                          {"unit_atomics", "atomics in L2"}};

} // namespace tutor::lessons
