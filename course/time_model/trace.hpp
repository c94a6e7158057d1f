/// \file
/// What the time model knows of a program's launches, and the file in which it is handed on.
#pragma once

#include "device.hpp"
#include "lower.hpp"
#include "machine.hpp"

#include <filesystem>

namespace model {

/// An allocation that a launch touched.
struct Touched {
  uint64_t begin = 0, end = 0; // addresses
};

/// Launches of one kernel and shape, in one part of the program.
struct LaunchTrace {
  std::string part;
  std::string kernel; // as the program writes it
  Extent grid, block;
  uint64_t dynamic_shared = 0; // bytes
  uint64_t launches = 1;
  std::string refused; // why there is nothing else; empty: nothing is refused
  LoweredFunction function;
  std::vector<BlockTrace> blocks;
  std::vector<Touched> touched;
};

/// How many blocks of a launch an SM of this device holds: chapter 11's calculator.
int blocks_per_sm(const LaunchTrace &launch, const Device &device);

/// \throws std::runtime_error where the file cannot be written, or is none of these
void write_traces(const std::filesystem::path &file, const std::vector<LaunchTrace> &traces);
std::vector<LaunchTrace> read_traces(const std::filesystem::path &file);

/// The blocks of a grid that are followed: neighbours along x and y, which show what they share, and one
/// from the middle.
std::vector<uint64_t> sampled_blocks(const Extent &grid);

/// Others from all over the grid, which show whether data give blocks more and less to do. Of a small grid: none.
std::vector<uint64_t> spread_blocks(const Extent &grid);

/// The followed blocks that stand for all of the grid: where data decide, those from all over it, for neighbours
/// in the middle would be too many of one kind.
std::vector<const BlockTrace *> timed_blocks(const LaunchTrace &launch);

} // namespace model
