#include "races.hpp"

#include <algorithm>
#include <cstdio>

namespace emu {

namespace {

// Chains of releases (a lock that went through many hands) are followed this far.
constexpr int longest_chain = 2;

uint3 index_of(unsigned thread) {
  const unsigned row = thread / blockDim.x;
  return {thread % blockDim.x, row % blockDim.y, row / blockDim.y};
}

dim3 block_index(uint64_t linear) {
  const auto x = static_cast<unsigned>(linear % gridDim.x);
  linear /= gridDim.x;
  return {x, static_cast<unsigned>(linear % gridDim.y), static_cast<unsigned>(linear / gridDim.y)};
}

} // namespace

void Races::launch_begins(const LaunchConfig &) {
  ++launch_;
  variables_.clear();
}

void Races::block_begins(uint64_t block, int threads) {
  ++block_number_;
  block_ = block;
  barriers_ = 0;
  anything_known_ = false;
  meetings_.assign(static_cast<size_t>(threads + 31) / 32, 0);
  threads_.assign(static_cast<size_t>(threads), {});
}

// ------------------------------------------------------------------------------ what orders

void Races::barrier() {
  ++barriers_;
  if (!anything_known_)
    return;
  // What one thread has acquired, all of its block know after the barrier.
  Knowledge all;
  for (const Thread &thread : threads_)
    for (const auto &[variable, count] : thread.known)
      all[variable] = std::max(all[variable], count);
  for (Thread &thread : threads_)
    thread.known = all;
}

void Races::lanes_met(int warp, uint32_t lanes) {
  ++meetings_[static_cast<size_t>(warp)];
  if (!anything_known_)
    return;
  Knowledge all;
  const auto each = [&](auto f) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      f(threads_[static_cast<size_t>(warp * 32 + __builtin_ctz(rest))]);
  };
  each([&](const Thread &thread) {
    for (const auto &[variable, count] : thread.known)
      all[variable] = std::max(all[variable], count);
  });
  each([&](Thread &thread) { thread.known = all; });
}

void Races::fence(int index, Scope scope) {
  Thread &thread = threads_[static_cast<size_t>(index)];
  ++thread.fences;
  thread.fence_scope = scope;
  thread.barriers_at_fence = barriers_;
  thread.meetings_at_fence = meetings_[static_cast<size_t>(index / 32)];
  thread.known_at_fence = thread.known;
}

// An atomic, or an access to a volatile variable: passes on what a fence has made ready, and takes
// what others have left there.
void Races::synchronise(const ThreadAccess &access) {
  Thread &thread = threads_[static_cast<size_t>(access.thread)];
  const bool reads = access.operation != Operation::store;
  const bool writes = access.operation != Operation::load;
  auto entry = variables_.find(access.address);
  if (reads && entry != variables_.end()) {
    thread.known[entry->second.get()] = entry->second->releases.size();
    anything_known_ = true;
  }
  if (!writes || thread.fences == 0)
    return;
  if (entry == variables_.end())
    entry = variables_.emplace(access.address, std::make_unique<Variable>()).first;
  Variable &variable = *entry->second;
  if (!reads) {
    // A plain store begins anew: who reads it learns nothing of releases before it.
    for (Release &release : variable.releases)
      release.block = ~uint64_t{0};
    variable.of_block.clear();
  }
  variable.of_block[access.block].push_back(variable.releases.size());
  variable.releases.push_back({access.block,
                               access.thread,
                               thread.barriers_at_fence,
                               thread.meetings_at_fence,
                               thread.fences,
                               std::min(thread.fence_scope, access.scope),
                               thread.known_at_fence});
}

// Whether `earlier` is covered by a release that is known.
bool Races::released(const Knowledge &known, const Stamp &earlier, int depth) const {
  for (const auto &[variable, count] : known) {
    const auto of_block = variable->of_block.find(earlier.block);
    if (of_block != variable->of_block.end())
      for (const size_t index : of_block->second) {
        if (index >= count)
          break;
        const Release &release = variable->releases[index];
        if (release.scope == Scope::block && earlier.block != block_)
          continue;
        const bool same_warp = release.thread / 32 == static_cast<int>(earlier.thread) / 32;
        if (earlier.barriers < release.barriers ||
            (same_warp && earlier.warp_meetings < release.warp_meetings) ||
            (release.thread == static_cast<int>(earlier.thread) && earlier.fences < release.fences))
          return true;
      }
    if (depth == 0)
      continue;
    // What the releasing threads had themselves acquired. The newest know most.
    const size_t oldest = count > 4 ? count - 4 : 0;
    for (size_t index = count; index-- > oldest;)
      if (!variable->releases[index].acquired.empty() &&
          released(variable->releases[index].acquired, earlier, depth - 1))
        return true;
  }
  return false;
}

bool Races::ordered(const Stamp &earlier, const ThreadAccess &now) const {
  if (earlier.block == now.block) {
    if (static_cast<int>(earlier.thread) == now.thread || earlier.barriers < barriers_)
      return true;
    const auto warp = static_cast<size_t>(now.thread / 32);
    if (earlier.thread / 32 == warp && earlier.warp_meetings < meetings_[warp])
      return true;
  }
  const Knowledge &known = threads_[static_cast<size_t>(now.thread)].known;
  return !known.empty() && released(known, earlier, longest_chain);
}

// ---------------------------------------------------------------------------------- the check

Stamp Races::stamp(const ThreadAccess &access) const {
  Stamp s{};
  s.block = access.block;
  s.thread = static_cast<unsigned>(access.thread);
  s.is_atomic = access.operation == Operation::atomic;
  s.is_volatile = access.is_volatile;
  s.scope = static_cast<unsigned>(access.scope);
  s.barriers = barriers_;
  s.pc = access.pc;
  s.warp_meetings = meetings_[static_cast<size_t>(access.thread / 32)];
  s.fences = threads_[static_cast<size_t>(access.thread)].fences;
  return s;
}

void Races::access(const ThreadAccess &access) {
  if (access.space == Space::constant)
    return;
  Region *region =
      access.space == Space::shared ? &shadow().shared() : shadow().find(access.address);
  if (!region)
    return;
  const auto offset = static_cast<size_t>(access.address - region->base);
  for (size_t i = offset; i < offset + access.bytes;) {
    const auto in_word = static_cast<unsigned>(i % 4);
    const auto count =
        static_cast<unsigned>(std::min<size_t>(4 - in_word, offset + access.bytes - i));
    check_word(region->cells[i / 4], access, ((1u << count) - 1) << in_word);
    i += count;
  }
  if (access.operation == Operation::atomic || access.is_volatile)
    synchronise(access);
}

void Races::check_word(Cell &cell, const ThreadAccess &access, unsigned bytes) {
  const bool shared = access.space == Space::shared;
  if (cell.launch != launch_ || (shared && cell.shared_block != block_number_)) {
    cell = {};
    cell.launch = launch_;
    cell.shared_block = block_number_;
    cell.write.thread = cell.reads[0].thread = cell.reads[1].thread = Stamp::nobody;
  }
  // Two atomics never race if each one's scope holds the other's thread. Volatile accesses of
  // global memory count as such (programs use them as flags); in shared memory they order nothing.
  const auto both_synchronise = [&](const Stamp &s) {
    const bool mine = access.operation == Operation::atomic || (access.is_volatile && !shared);
    const bool theirs = s.is_atomic || (s.is_volatile && !shared);
    const bool in_scope =
        s.block == access.block ||
        (s.scope != static_cast<unsigned>(Scope::block) && access.scope != Scope::block);
    return mine && theirs && in_scope;
  };
  const auto conflicts = [&](const Stamp &s) {
    return s.thread != Stamp::nobody && (s.bytes & bytes) && !both_synchronise(s) &&
           !ordered(s, access);
  };
  const bool writes = access.operation != Operation::load;
  if (conflicts(cell.write))
    report(cell.write, true, access);
  if (writes)
    for (const Stamp &read : cell.reads)
      if (conflicts(read)) {
        report(read, false, access);
        break;
      }

  Stamp mine = stamp(access);
  mine.bytes = bytes;
  if (writes) {
    // Neighbouring bytes that somebody else has written since the last barrier stay remembered as
    // far as one stamp can: only a writer of the same bytes, or an ordered one, is replaced.
    if (cell.write.thread != Stamp::nobody && cell.write.thread == mine.thread &&
        cell.write.block == mine.block && cell.write.barriers == mine.barriers)
      mine.bytes |= cell.write.bytes;
    cell.write = mine;
    return;
  }
  if (cell.reads[0].thread == mine.thread && cell.reads[0].block == mine.block) {
    if (cell.reads[0].barriers == mine.barriers)
      mine.bytes |= cell.reads[0].bytes;
  } else {
    cell.reads[1] = cell.reads[0];
  }
  cell.reads[0] = mine;
}

void Races::report(const Stamp &earlier, bool earlier_wrote, const ThreadAccess &now) {
  const bool shared = now.space == Space::shared;
  const bool same_block = earlier.block == now.block;
  const bool same_warp =
      same_block && earlier.thread / 32 == static_cast<unsigned>(now.thread) / 32;
  const bool now_writes = now.operation != Operation::load;
  const char *what = now_writes && earlier_wrote ? "two threads write"
                     : now_writes                ? "one thread writes what another reads"
                                                 : "one thread reads what another writes";
  const char *why = !same_block ? "and no barrier orders blocks"
                    : same_warp ? "in one warp, with no __syncwarp() between"
                                : "with no __syncthreads() between";
  char text[160];
  std::snprintf(text, sizeof text, "%s, %s", what, why);
  sink_.found({shared ? "shared_race" : "global_race",
               false,
               {{}, now.pc, blockIdx, threadIdx},
               {{}, earlier.pc, block_index(earlier.block), index_of(earlier.thread)},
               text});
}

} // namespace emu
