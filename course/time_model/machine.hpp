/// \file
/// Executes PTX for a few blocks of a launch, warp by warp, and writes down what each warp did.
///
/// It reads the program's memory and writes none of it: what a block stores is kept beside, and forgotten
/// with the block. Loops are not run to their end: once a loop repeats itself (its counters and addresses
/// grow by the same amount each time), the iterations left are skipped, all but the last few, and those that
/// were written down stand for them.
#pragma once

#include "emulator/observe/lanes.hpp"
#include "lower.hpp"
#include "ptx.hpp"

#include <functional>
#include <stdexcept>

namespace model {

using emu::LanesOf;
/// A value for each lane of a warp, as registers hold them.
using Lanes = std::array<uint64_t, 32>;

struct Extent {
  unsigned x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Extent &) const = default;
};

/// One executed instruction of a warp.
struct Step {
  uint32_t pc = 0; // of Function::code
  float weight = 1; // how often it is executed, with the iterations that were skipped
  uint32_t first = 0; // of BlockTrace::sectors
  uint16_t sectors = 0; // different ones that a global access touches
  uint16_t lines = 0; // of 128 bytes
  uint16_t l1_turns = 0; // of the L1, where all of them are there
  uint16_t local_sectors =
      0; // the same of local memory, which has lines, too, and stays out of `sectors`
  uint16_t wavefronts = 0; // shared memory; of a global atomic, turns where its words are at home
  uint16_t whole = 0; // of a store's sectors or an atomic's turns, those of all the sector's bytes
  uint16_t pieces_in_part = 0; // of 64 bytes, with one of the other sectors
  uint8_t active = 0; // lanes
  bool operator==(const Step &) const = default;
};

/// Steps of a warp that look once whether another block has told something.
struct Look {
  uint32_t warp = 0; // of BlockTrace::warps
  uint32_t first = 0, last = 0; // of its steps
  uint32_t lanes = 0; // that look
  bool walks = false; // from block to block, until one knows all
};

struct BlockTrace {
  uint64_t block = 0; // number in the grid
  std::vector<std::vector<Step>> warps;
  std::vector<uint64_t> sectors; // addresses / 32
  std::vector<Look> looks;
};

/// What a launch is, and what it may read.
struct Launch {
  Extent grid, block;
  size_t dynamic_shared = 0; // bytes
  std::vector<uint8_t> parameters; // as PTX lays them out
  /// Whether the program has memory there: first and last byte of it, or 0, 0.
  std::function<std::pair<uint64_t, uint64_t>(uint64_t address)> memory_at;
  /// The address of a variable of the program; 0: it has none of that name.
  std::function<uint64_t(const std::string &name)> variable;
};

/// A kernel that cannot be followed; what() says why, as part of a sentence.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a function of the C library costs on a GPU.
struct LibraryCall {
  int arithmetic = 0; // FP32 instructions (FP64 if is_double)
  int special = 0; // of the special function unit
  bool is_double = false;
  uint64_t (*value)(uint64_t a, uint64_t b) = nullptr; // of registers' bits
};
const LibraryCall *find_library_call(const std::string &name);

/// Gives iterations of unrolled loops, where so many follow each other, the order of the copies.
void run_unrolled(const std::vector<UnrolledLoop> &loops, BlockTrace &block);

/// \throws Refused
BlockTrace execute_block(const Function &function, const Launch &launch, uint64_t block);

} // namespace model
