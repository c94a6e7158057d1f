/// \file
/// What warps did, one thing after the other: for pictures that are stepped through.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "observer.hpp"

namespace emu {

/// Keeps the requests, basic blocks and barriers of two traced blocks, the first and the second, of
/// each kernel's first launch of a shape in a part of the program. A block's warps are kept from
/// barrier to barrier, one warp after the other. What exceeds `most_events` per block or
/// `most_launches` is counted, and left out.
class TraceLog : public Observer {
public:
  static constexpr size_t most_events = 4000, most_launches = 40;
  static constexpr int most_blocks = 2;

  /// \param of  what is kept, separated by commas: names of accesses, basic_block; empty: all of it
  explicit TraceLog(const std::string &of) : of_(of.empty() ? of : "," + of + ",") {}

  unsigned wants() const override { return requests; }
  void part_begins(const std::string &name) override { part_ = name; }
  void launch_begins(const ObservedLaunch &launch) override;
  /// The block's events are for the log, if there is still room.
  void block_begins(ObservedBlock &block) override;
  void warp_begins(ObservedBlock &, int warp) override { warp_ = warp; }
  void request(ObservedBlock &block, const WarpRequest &request) override;
  void basic_block(ObservedBlock &block, uint32_t pc, uint32_t active, uint32_t members) override;
  void barrier(ObservedBlock &block) override;

  /// {"launches": [{"kernel", "part", "grid", "block", "places", "arrays", "blocks": [{"block",
  /// "events", "left_out"}]}], "left_out"}. A place is a line of source with its text; an array an
  /// allocation, with its bytes. An event has "warp", "place" (an index) and "lanes" (a bit each) of a
  /// basic block; also "access", "bytes" (of a lane), "array" (an index; -1: shared memory), "at" and
  /// "cost" (sectors, or wavefronts in shared memory) of a request; or just "barrier". "at" holds each
  /// lane's place in the array, in bytes: {"first", "step"} where lanes stand evenly, or a list.
  std::string json() const;

private:
  struct LoggedEvent {
    enum class What : uint8_t { request, basic_block, barrier } what;
    int warp = 0;
    uint32_t pc = 0, lanes = 0;
    Access access = Access::count;
    uint32_t bytes = 0;
    int array = -1;
    std::vector<int64_t> at = {}; // of the active lanes
    unsigned cost = 0;
  };
  struct LoggedBlock {
    uint64_t number;
    std::vector<LoggedEvent> events;
    uint64_t left_out = 0;
  };
  struct LoggedLaunch {
    std::string kernel, part;
    LaunchConfig config;
    std::vector<size_t> arrays; // bytes
    std::map<const char *, int> array_of; // by their first bytes
    std::vector<LoggedBlock> blocks;
  };

  /// Null: this block is not kept.
  LoggedBlock *log_of(const ObservedBlock &block);
  void add(LoggedBlock &log, LoggedEvent event);
  bool is_kept(const char *name) const;
  int array_of(const char *address, const char *&base);
  static std::string json(const LoggedLaunch &launch);

  std::string of_, part_;
  std::vector<LoggedLaunch> launches_;
  uint64_t left_out_ = 0; // launches
  bool wanted_ = false; // the running launch is logged
  int warp_ = 0; // whose events come
};

} // namespace emu
