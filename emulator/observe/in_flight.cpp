#include "in_flight.hpp"

#include "../src/engine/block_switch.hpp"
#include "array_names.hpp"

namespace emu {

namespace {

void mark(Region &region, const char *address, uint32_t bytes, bool in_flight) {
  const auto first = static_cast<size_t>(address - region.base);
  for (size_t i = first; i < first + bytes && i < region.bytes; ++i) {
    const auto bit = static_cast<uint8_t>(0x10 << i % 4);
    uint8_t &bits = region.written[i / 4];
    bits = static_cast<uint8_t>(in_flight ? bits | bit : bits & ~bit);
  }
}

} // namespace

void InFlight::begins(const Copy &copy, Region &shared) {
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

void InFlight::look_closer(const ThreadAccess &access) {
  const bool shared = access.space == Space::shared;
  const Copy *copy = shared ? nullptr : that_reads(access);
  for (uint32_t i = 0; shared && !copy && i < access.bytes; ++i)
    copy = that_writes(access.address + i);
  if (!copy) {
    mark(*access.region, access.address, access.bytes, false);
    return;
  }
  const std::string name = array_names().element(access);
  sink_.found({shared ? "shared_race" : "global_race",
               false,
               {{}, access.pc, blockIdx, threadIdx},
               {{}, copy->pc, blockIdx, thread_index(copy->thread)},
               (access.writes() ? "writes " : "reads ") +
                   (name.empty() ? "what" : name + ", which") + " an asynchronous copy still " +
                   (shared ? "brings" : "reads") + ": wait for it first",
               {.copy_in_flight = true}});
}

} // namespace emu
