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

/// What a task of a stream's does.
enum class Work : uint8_t {
  nothing, // it only orders
  kernel,
  to_device,
  to_host,
  between, // devices
  in_device,
  set, // memory of the device
  prefetch_to_device,
  prefetch_to_host,
  host_function,
  collective,
};

/// Bytes of a kernel's that are not in its device's memory.
struct Reached {
  int32_t device = 0; // that has them; -1: the host
  double read = 0, written = 0;
};

/// A task, as it was submitted.
struct TaskTrace {
  Work work = Work::nothing;
  bool pageable = false; // a copy with memory that is not pinned
  bool direct = true; // a copy between devices that can reach each other
  int32_t device = 0, from = 0, to = 0;
  uint64_t stream = 0;
  int32_t priority = 0;
  uint64_t graph_launch = 0; // 0: none; tasks of one launch have the same
  double bytes = 0; // copied; of a prefetch: of the pages that had to move
  double fault_bytes = 0; // of pages that a kernel had to wait for
  double made_bytes = 0; // of pages that nobody had touched before
  uint64_t blocks = 0; // of a kernel
  uint64_t launch = 0; // of a kernel: its place among the launches
  std::vector<Reached> reached;
  std::vector<uint64_t> after; // tasks of the same part
};

/// What the host did: it submitted a task, or waited.
struct HostTrace {
  enum class What : uint8_t { submits, waits, waits_for_device, waits_for_all } what;
  uint64_t task; // or the device
  double own_us = 0; // that it had worked for itself before, here
  double fault_bytes = 0; // of pages that it had to fetch meanwhile
};

/// What streams and the host did in a part of the program.
struct PartTrace {
  std::string part;
  std::vector<TaskTrace> tasks;
  std::vector<HostTrace> host;
};

struct ProgramTrace {
  std::vector<LaunchTrace> launches;
  std::vector<PartTrace> parts; // none where only launches were followed
};

/// How many blocks of a launch an SM of this device holds: chapter 11's calculator.
int blocks_per_sm(const LaunchTrace &launch, const Device &device);

/// \throws std::runtime_error where the file cannot be written, or is none of these
void write_traces(const std::filesystem::path &file, const ProgramTrace &traces);
ProgramTrace read_traces(const std::filesystem::path &file);

/// The blocks of a grid that are followed: neighbours along x and y, which show what they share, and one
/// from the middle.
std::vector<uint64_t> sampled_blocks(const Extent &grid);

/// Others from all over the grid, which show whether data give blocks more and less to do. Of a small grid: none.
std::vector<uint64_t> spread_blocks(const Extent &grid);

/// The followed blocks that stand for all of the grid: where data decide, those from all over it, for neighbours
/// in the middle would be too many of one kind.
std::vector<const BlockTrace *> timed_blocks(const LaunchTrace &launch);

} // namespace model
