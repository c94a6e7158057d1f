#include "shadow.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>

#include "../src/engine/shared_memory.hpp"
#include "emu/engine/engine.hpp"

extern "C" char __executable_start[], end[];

namespace emu {

namespace {

// Zeros that take memory only where they are touched.
template <class T> T *map_zeros(size_t count) {
  void *memory = mmap(nullptr,
                      count * sizeof(T),
                      PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1,
                      0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "emulator: no address space for the shadow memory of %zu words\n", count);
    std::abort();
  }
  return static_cast<T *>(memory);
}

Region with_shadow(Region region) {
  region.cells = map_zeros<Cell>(region.words());
  region.written = map_zeros<uint8_t>(region.words());
  return region;
}

void unmap(Region &region) {
  munmap(region.cells, region.words() * sizeof(Cell));
  munmap(region.written, region.words());
}

void mark(Region &region, size_t first, size_t bytes) {
  const size_t last = std::min(first + bytes, region.bytes);
  for (size_t i = first; i < last && i % 4; ++i)
    region.written[i / 4] |= static_cast<uint8_t>(1u << (i % 4));
  const size_t begin = (first + 3) / 4, whole = last / 4;
  if (whole > begin)
    std::memset(region.written + begin, 0xf, whole - begin);
  for (size_t i = std::max(whole * 4, first); i < last; ++i)
    region.written[i / 4] |= static_cast<uint8_t>(1u << (i % 4));
}

} // namespace

Shadow::Shadow() {
  // Variables of the program (`__device__` ones among them) start with a value.
  add({__executable_start, static_cast<size_t>(end - __executable_start)}, false);
  lowest_ = highest_ = nullptr; // of all others
}

void Shadow::add(const Region &added, bool written) {
  const std::unique_lock lock(mutex_);
  char *const base = added.base;
  // Memory that was freed may be given out again.
  auto overlapping = regions_.lower_bound(base);
  if (overlapping != regions_.begin()) {
    const auto before = std::prev(overlapping);
    if (before->second.holds(base))
      overlapping = before;
  }
  while (overlapping != regions_.end() && overlapping->first < base + added.bytes) {
    unmap(overlapping->second);
    overlapping = regions_.erase(overlapping);
  }
  for (std::atomic<Region *> &region : of_instruction_)
    region.store(nullptr, std::memory_order_relaxed);
  Region &region = regions_[base] = with_shadow(added);
  if (written)
    mark(region, 0, region.bytes);
  lowest_ = lowest_ ? std::min(lowest_.load(), base) : base;
  highest_ = std::max(highest_.load(), base + added.bytes);
}

// Most of what host code touches lies elsewhere, and is not worth a lock.
bool Shadow::may_hold(const char *address) const {
  return (lowest_ <= address && address < highest_) ||
         (__executable_start <= address && address < end);
}

void Shadow::retire(char *base) {
  const std::unique_lock lock(mutex_);
  const auto entry = regions_.find(base);
  if (entry != regions_.end())
    entry->second.alive = false;
}

void Shadow::drop(char *base) {
  const std::unique_lock lock(mutex_);
  const auto entry = regions_.find(base);
  if (entry == regions_.end())
    return;
  for (std::atomic<Region *> &region : of_instruction_)
    region.store(nullptr, std::memory_order_relaxed);
  unmap(entry->second);
  regions_.erase(entry);
}

void Shadow::mark_written(char *base, size_t bytes) {
  const std::unique_lock lock(mutex_);
  if (Region *region = find_locked(base))
    mark(*region, static_cast<size_t>(base - region->base), bytes);
}

Region *Shadow::find(const char *address) {
  if (!may_hold(address))
    return nullptr;
  const std::shared_lock lock(mutex_);
  return find_locked(address);
}

Region *Shadow::find_locked(const char *address) {
  const auto after = regions_.upper_bound(address);
  if (after == regions_.begin())
    return nullptr;
  Region &before = std::prev(after)->second;
  return before.holds(address) ? &before : nullptr;
}

Region *Shadow::find_near(const char *address, size_t distance) {
  const std::shared_lock lock(mutex_);
  const auto after = regions_.upper_bound(address);
  if (after != regions_.begin()) {
    Region &before = std::prev(after)->second;
    if (static_cast<size_t>(address - before.base) < before.bytes + distance)
      return &before;
  }
  return after != regions_.end() && after->first - address <= static_cast<long>(distance)
             ? &after->second
             : nullptr;
}

SharedShadow::~SharedShadow() {
  if (region_.base)
    unmap(region_);
}

void SharedShadow::begin() {
  if (region_.base == static_shared)
    return;
  if (region_.base)
    unmap(region_);
  region_ = with_shadow({static_shared, shared_arena_bytes});
}

void SharedShadow::end(size_t dynamic_bytes) {
  const auto forget = [&](const char *first, size_t bytes) {
    std::memset(region_.written + (first - region_.base) / 4, 0, (bytes + 3) / 4);
  };
  forget(static_shared, static_shared_end());
  forget(dynamic_shared, dynamic_bytes);
}

} // namespace emu
