// The history of each word, and what a new access means for it.
#include "races.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace emu {

namespace {

uint3 index_of(unsigned thread) {
  const unsigned row = thread / blockDim.x;
  return {thread % blockDim.x, row % blockDim.y, row / blockDim.y};
}

dim3 block_index(uint64_t linear) {
  const auto x = static_cast<unsigned>(linear % gridDim.x);
  linear /= gridDim.x;
  return {x, static_cast<unsigned>(linear % gridDim.y), static_cast<unsigned>(linear / gridDim.y)};
}

void forget_reads(Cell &cell) {
  cell.last_read.thread = cell.read_by_lane.thread = cell.read_by_warp.thread =
      cell.read_by_block.thread = Stamp::nobody;
}

// Two writes that nothing orders do no harm if the second one changes nothing.
constexpr const char *same_value = "two threads write the same value, and nothing orders them";

} // namespace

Stamp Races::stamp(const ThreadAccess &access) const {
  Stamp s{};
  s.block = access.block;
  s.thread = static_cast<unsigned>(access.thread);
  s.is_atomic = access.operation == Operation::atomic;
  s.is_volatile = access.is_volatile;
  s.scope = static_cast<unsigned>(access.scope);
  s.barriers = barriers_;
  s.pc = access.pc;
  s.clock = lanes_[static_cast<size_t>(access.thread / 32)].clock(access.thread % 32);
  s.fences = threads_[static_cast<size_t>(access.thread)].fences;
  return s;
}

void Races::access(const ThreadAccess &access) {
  settle();
  if (access.space == Space::constant)
    return;
  const bool shared = access.space == Space::shared;
  Region *region = shared ? &shadow().shared() : shadow().find(access.address);
  if (!region)
    return;
  const auto first = static_cast<size_t>(access.address - region->base);
  const size_t end = first + access.bytes;
  for (size_t i = first; i < end;) {
    const size_t count = std::min(4 - i % 4, end - i);
    Cell &cell = region->cells[i / 4];
    if (cell.launch != launch_ || (shared && cell.shared_block != block_number_)) {
      cell = {};
      cell.launch = launch_;
      cell.shared_block = block_number_;
      cell.write.thread = Stamp::nobody;
      forget_reads(cell);
    }
    if (count == 4 && !cell.is_split)
      check(cell, access, region->base + i, 4);
    else
      for (size_t byte = i; byte < i + count; ++byte)
        check(split(cell)[byte % 4], access, region->base + byte, 1);
    i += count;
  }
  if (access.operation == Operation::atomic || access.is_volatile)
    synchronise(access);
}

// The cells of a word's bytes; they begin with what is known of the word.
std::array<Cell, 4> &Races::split(Cell &cell) {
  std::array<Cell, 4> &bytes = bytes_[&cell];
  if (!cell.is_split) {
    bytes.fill(cell);
    if (cell.has_atomic)
      for (const Cell &byte : bytes)
        atomics_[&byte] = atomics_[&cell];
    cell.is_split = 1;
  }
  return bytes;
}

// Two atomics never race if each one's scope holds the other's thread. Volatile accesses of global
// memory count as such (programs use them as flags); in shared memory they order nothing.
bool Races::conflict(const Stamp &earlier, const ThreadAccess &now) const {
  if (earlier.thread == Stamp::nobody)
    return false;
  const bool global = now.space != Space::shared;
  const bool mine = now.operation == Operation::atomic || (now.is_volatile && global);
  const bool theirs = earlier.is_atomic || (earlier.is_volatile && global);
  const bool in_scope =
      earlier.block == now.block ||
      (earlier.scope != static_cast<unsigned>(Scope::block) && now.scope != Scope::block);
  return !(mine && theirs && in_scope) && !ordered(earlier, now);
}

void Races::check(Cell &cell, const ThreadAccess &access, const char *place, size_t bytes) {
  const auto report = [&](const Stamp &earlier, bool earlier_wrote) {
    Race race = describe(earlier, earlier_wrote, access);
    race.hazard.message = race.message.c_str();
    sink_.found(race.hazard);
  };
  if (conflict(cell.write, access)) {
    if (access.operation == Operation::store)
      doubts_.push_back({describe(cell.write, true, access), place, std::string(place, bytes)});
    else
      report(cell.write, true);
  }
  if (cell.has_atomic && conflict(atomics_[&cell], access))
    report(atomics_[&cell], true);
  if (access.operation != Operation::load)
    for (const Stamp &read :
         {cell.last_read, cell.read_by_lane, cell.read_by_warp, cell.read_by_block})
      if (conflict(read, access)) {
        report(read, false);
        break;
      }
  remember(cell, access);
}

void Races::remember(Cell &cell, const ThreadAccess &access) {
  const Stamp mine = stamp(access);
  if (access.operation == Operation::atomic) {
    // A plain write before it stays remembered: other blocks' atomics may race with that one.
    atomics_[&cell] = mine;
    cell.has_atomic = 1;
    return;
  }
  if (access.operation == Operation::store) {
    // Who is not ordered after the accesses before this write is not ordered after it either.
    cell.write = mine;
    cell.has_atomic = 0;
    forget_reads(cell);
    return;
  }
  const Stamp last = cell.last_read;
  cell.last_read = mine;
  if (last.thread == Stamp::nobody)
    return;
  if (last.block != mine.block) {
    cell.read_by_block = last;
    cell.read_by_warp.thread = cell.read_by_lane.thread = Stamp::nobody;
  } else if (last.thread / 32 != mine.thread / 32) {
    cell.read_by_warp = last;
    cell.read_by_lane.thread = Stamp::nobody;
  } else if (last.thread != mine.thread) {
    cell.read_by_lane = last;
  }
}

Races::Race Races::describe(const Stamp &earlier, bool earlier_wrote, const ThreadAccess &now) {
  const bool shared = now.space == Space::shared;
  const bool same_block = earlier.block == now.block;
  const bool same_warp =
      same_block && earlier.thread / 32 == static_cast<unsigned>(now.thread) / 32;
  const bool now_writes = now.operation != Operation::load;
  const char *what = now_writes && earlier_wrote ? "two threads write"
                     : now_writes                ? "one thread writes what another reads"
                                                 : "one thread reads what another writes";
  const char *why = !same_block ? ", and no barrier orders blocks"
                    : same_warp
                        ? ", in one warp, with neither __syncthreads() nor __syncwarp() between"
                        : ", with no __syncthreads() between";
  return {{shared ? "shared_race" : "global_race",
           false,
           {{}, now.pc, blockIdx, threadIdx},
           {{}, earlier.pc, block_index(earlier.block), index_of(earlier.thread)},
           "",
           same_warp},
          std::string(what) + why};
}

// The next access comes: what the last one has written can be looked at.
void Races::settle() {
  const bool all_as_before = std::all_of(doubts_.begin(), doubts_.end(), [](const Doubt &doubt) {
    return std::memcmp(doubt.place, doubt.before.data(), doubt.before.size()) == 0;
  });
  for (Doubt &doubt : doubts_) {
    FoundHazard &hazard = doubt.race.hazard;
    hazard.message = doubt.race.message.c_str();
    if (all_as_before) {
      hazard.kind = "same_value_race";
      hazard.warning = true;
      hazard.message = same_value;
    }
    sink_.found(hazard);
  }
  doubts_.clear();
}

} // namespace emu
