#include "device_heap.hpp"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

#include "../src/engine/block.hpp"
#include "../src/memory/guarded_memory.hpp"
#include "look.hpp"
#include "recorder.hpp"

namespace emu {

namespace {

constexpr size_t most_kept_back = 1024; // freed blocks, so that a use after free is met as such

Shadow *shadow_of_kernel() {
  const bool in_block = this_block && this_block->running() && !looking;
  return in_block && this_block->watcher() ? &made_recorder->shadow() : nullptr;
}

} // namespace

void *take_from_device_heap(size_t bytes) {
  Shadow *const shadow = shadow_of_kernel();
  if (!shadow)
    return nullptr;
  const Look look;
  char *const memory = static_cast<char *>(std::malloc(bytes + redzone));
  if (!memory)
    return memory;
  std::memset(memory, fresh_byte, bytes + redzone);
  Region region{memory, bytes};
  region.of_heap = true;
  // Taken as written: of what a constructor's member is made of by a function, nobody tells us.
  shadow->add(region, true);
  return memory;
}

size_t taken_from_device_heap(const void *memory) {
  Shadow *const shadow = memory ? shadow_of_kernel() : nullptr;
  const Region *const region = shadow ? shadow->find(static_cast<const char *>(memory)) : nullptr;
  return region && region->of_heap && region->base == memory ? region->bytes : 0;
}

void give_to_device_heap(void *memory) {
  static std::mutex &mutex = *new std::mutex;
  static std::deque<char *> &kept_back = *new std::deque<char *>; // oldest first
  const Look look;
  const std::lock_guard lock(mutex);
  Shadow &shadow = made_recorder->shadow();
  const Region &region = *shadow.find(static_cast<char *>(memory));
  if (!region.alive)
    return; // a second time, which was reported
  std::memset(region.base, freed_byte, region.bytes);
  kept_back.push_back(region.base);
  shadow.retire(region.base);
  if (kept_back.size() <= most_kept_back)
    return;
  shadow.drop(kept_back.front());
  std::free(kept_back.front());
  kept_back.pop_front();
}

} // namespace emu
