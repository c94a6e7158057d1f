#include "in_flight.hpp"

#include <algorithm>

#include "../src/engine/block_switch.hpp"
#include "../src/engine/cluster.hpp"
#include "array_names.hpp"

namespace emu {

namespace {

constexpr const char *still_brings = "still brings: wait for it first";
constexpr const char *waited_late =
    "still brings: this thread has waited for its own copies behind the last __syncthreads(), not "
    "ahead of it";
constexpr const char *still_reads = "still reads: wait for it first";

void mark(Region &region, const char *address, uint32_t bytes, bool in_flight) {
  const auto first = static_cast<size_t>(address - region.base);
  for (size_t i = first; i < first + bytes && i < region.bytes; ++i) {
    const auto bit = static_cast<uint8_t>(0x10 << i % 4);
    uint8_t &bits = region.written[i / 4];
    bits = static_cast<uint8_t>(in_flight ? bits | bit : bits & ~bit);
  }
}

} // namespace

void InFlight::begins(Copy copy, Region &shared) {
  const auto landed = landed_.find(copy.to);
  copy.begun = barriers_;
  copy.follows_at_once = landed != landed_.end() && landed->second.barriers + 1 == barriers_;
  copies_[copy.to] = copy;
  mark(shared, copy.to, copy.bytes, true);
  if (copy.source)
    mark(*copy.source, copy.from, copy.read, true);
}

// What it has read keeps its marks: others may read it, too. Who writes there looks.
InFlight::Copy InFlight::ends(const char *to, Region &shared) {
  const auto found = copies_.find(to);
  if (found == copies_.end()) // another one to the same place has ended before
    return {};
  const Copy copy = found->second;
  copies_.erase(found);
  landed_[to] = {barriers_, copy.thread};
  mark(shared, copy.to, copy.bytes, false);
  return copy;
}

const InFlight::Copy *InFlight::that_writes(const char *address) const {
  for (const uintptr_t bytes : {4, 8, 16}) { // each begins at a multiple of its length
    const auto found = copies_.find(address - reinterpret_cast<uintptr_t>(address) % bytes);
    if (found != copies_.end() && address < found->first + found->second.bytes)
      return &found->second;
  }
  return nullptr;
}

const InFlight::Copy *InFlight::that_reads(const ThreadAccess &access) const {
  for (const auto &[to, copy] : copies_)
    if (access.address < copy.from + copy.read && copy.from < access.address + access.bytes)
      return &copy;
  return nullptr;
}

bool InFlight::is_marked(const ThreadAccess &access) {
  if (access.space != Space::shared && !access.writes())
    return false;
  const auto first = static_cast<size_t>(access.address - access.region->base);
  for (size_t i = first; i < first + access.bytes; ++i)
    if (access.region->written[i / 4] & 0x10 << i % 4)
      return true;
  return false;
}

bool InFlight::waited_behind_barrier(int thread) const {
  return std::any_of(landed_.begin(), landed_.end(), [&](const auto &one) {
    return one.second.thread == thread && one.second.barriers == barriers_;
  });
}

void InFlight::look_closer(const ThreadAccess &access) {
  const bool shared = access.space == Space::shared;
  const Copy *copy = shared ? nullptr : that_reads(access);
  for (uint32_t i = 0; shared && !copy && i < access.bytes; ++i)
    copy = that_writes(access.address + i);
  if (!copy) {
    mark(*access.region, access.address, access.bytes, false);
    return;
  }
  // Who reads between the same two barriers reads what the earlier copy has brought: there was no other time for it.
  const bool overtakes = copy->follows_at_once && copy->begun == barriers_ && !access.writes();
  const bool waits_late = copy->begun < barriers_ && copy->thread != access.thread &&
                          waited_behind_barrier(access.thread);
  report(access,
         block_,
         copy->thread,
         copy->pc,
         !shared      ? still_reads
         : overtakes  ? "already overwrites: it was begun before all had read what is there"
         : waits_late ? waited_late
                      : still_brings,
         true);
}

void InFlight::report(const ThreadAccess &access,
                      uint64_t block,
                      int thread,
                      uint32_t pc,
                      const char *does,
                      bool own) const {
  const std::string name = array_names().element(access);
  sink_.found({access.space == Space::shared ? "shared_race" : "global_race",
               false,
               {{}, access.pc, blockIdx, threadIdx},
               {{}, pc, index_of_block(block), thread_index(thread)},
               (access.writes() ? "writes " : "reads ") +
                   (name.empty() ? "what" : name + ", which") + " an asynchronous copy " + does,
               {.copy_in_flight = true, .own_copy = own}});
}

// ------------------------------------------------------------------------------------ bulk copies

// There are few of them at a time.
void InFlight::look_at_bulks(const ThreadAccess &access) const {
  const auto touches = [&](const char *begin, size_t bytes) {
    return access.address < begin + bytes && begin < access.address + access.bytes;
  };
  for (const Bulk &bulk : bulks_) {
    const bool both_combine = bulk.combines && access.operation == Operation::atomic;
    const bool brings = touches(bulk.to, bulk.bytes) && !both_combine;
    if (brings || (bulk.reads && access.writes() && touches(bulk.from, bulk.bytes)))
      return report(
          access, bulk.block, bulk.thread, bulk.pc, brings ? still_brings : still_reads, false);
  }
}

std::vector<InFlight::Bulk>::iterator
InFlight::find(const char *to, const char *from, int thread, uint64_t block) {
  return std::find_if(bulks_.begin(), bulks_.end(), [&](const Bulk &bulk) {
    return bulk.to == to && bulk.from == from && bulk.thread == thread && bulk.block == block;
  });
}

InFlight::Bulk InFlight::bulk_read(const char *to, const char *from, int thread) {
  const auto found = find(to, from, thread, block_);
  const Bulk before = *found;
  found->reads = false;
  return before;
}

std::optional<InFlight::Bulk>
InFlight::bulk_ends(const char *to, const char *from, int thread, uint64_t block) {
  const auto found = find(to, from, thread, block);
  if (found == bulks_.end())
    return {};
  const Bulk before = *found;
  bulks_.erase(found);
  return before;
}

} // namespace emu
