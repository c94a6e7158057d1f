/// \file
/// From PTX to what an SM executes: which unit, how many issue slots, which registers it waits for. PTX is
/// not yet machine code: moves vanish, an address takes part in the load that uses it, a division becomes
/// twenty instructions.
#pragma once

#include "ptx.hpp"

namespace model {

enum class Unit : uint8_t { none, alu, fma, imad, fp64, special, branch, memory, barrier };
enum class Action : uint8_t {
  // clang-format off
  compute, load, store, atomic, reduce, copy_async, commit, wait_copies, barrier, shuffle, constant, fence, sync_warp
  // clang-format on
};

/// One instruction of a function, as the simulation executes it.
struct Lowered {
  Unit unit = Unit::none;
  Action action = Action::compute;
  float slots = 0; // of the scheduler
  float turns = 0; // of the unit; a product of 64 bits takes two
  float special = 0; // of the special function unit, besides
  int32_t amount = 0; // copies that may go on; bytes of an access
  bool past_l1 = false; // volatile and atomic accesses
  bool adds_floats = false; // an atomic
  std::vector<int32_t> reads, writes; // registers
};

/// A loop that ptxas unrolls once more. Of so many iterations that follow each other, the instruction with the
/// number k is executed as order[k], and as LoweredFunction::code[first_copy + order[k]].
struct UnrolledLoop {
  int head = 0, latch = 0; // its first and last instruction
  size_t first_copy = 0;
  size_t questions = 0; // in LoweredFunction::code, in front of the loop; 0: none
  std::vector<size_t> order;
};
constexpr size_t unrolled_iterations = 4;

struct LoweredFunction {
  std::string name;
  std::vector<Lowered> code; // with copies of unrolled loops behind it
  std::vector<UnrolledLoop> unrolled; // not among what is written to a file
  int registers = 0; // of a thread, estimated
  int register_names = 0; // how many Lowered speaks of
  size_t static_shared = 0; // bytes
};

/// First instructions of blocks.
std::vector<bool> block_heads(const Function &function);

/// What both nvcc and clang's own later passes do to branches, and PTX does not show: jumps to the next
/// instruction vanish, and short bodies of an `if` are executed under a predicate, without a branch.
void simplify_branches(Function &function);

/// Joins accesses of 8 bytes to neighbouring places, which clang makes of a float4's copy and nvcc does not.
void join_pairs(Function &function);

/// Turns words that are loaded from one of two places, beside each other, into one load of a vector.
void join_chosen_loads(Function &function);

/// Joins loads of neighbouring words of shared memory to loads of 8 and 16 bytes.
void join_shared_loads(Function &function);

/// Moves each load as far ahead as what it needs allows, as ptxas does: within a block of instructions,
/// not across stores, barriers or atomics.
void schedule_loads(Function &function);

/// Orders each block of instructions as ptxas does: what others wait for longest goes first.
void interleave(Function &function);
/// \param room  for values that the code makes, in registers: where it is full, what needs more waits
std::vector<size_t> best_order(const std::vector<Instruction> &code, size_t registers, int room);
/// How many registers an order may fill: as many as leave room for all warps, or as the program's own needs.
/// \param live  that are needed already
int room_for_values(const Function &function, int live);

/// All of the above.
void as_ptxas_does(Function &function);

/// Finds the loops that ptxas unrolls once more, and adds the copies.
void add_unrolled(const Function &function, LoweredFunction &lowered);

LoweredFunction lower(const Function &function);

} // namespace model
