#include "memory/allocations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "context/devices.hpp"
#include "engine/watcher.hpp"
#include "memory/guarded_memory.hpp"

namespace emu {
namespace {

// Freed memory is kept back up to this sum, so that a use after free is met as such.
constexpr size_t most_kept_back = size_t{64} << 20;

bool owned(MemoryKind kind) {
  return kind != MemoryKind::registered && kind != MemoryKind::symbol && kind != MemoryKind::opened;
}

bool counted(MemoryKind kind) { return kind == MemoryKind::device || kind == MemoryKind::managed; }

struct Table {
  std::shared_mutex mutex;
  std::map<uintptr_t, Allocation> entries; // by first byte; never overlapping
  std::deque<uintptr_t> kept_back; // freed entries, oldest first
  size_t kept_back_bytes = 0;
  struct Bytes {
    size_t live = 0, high = 0;
  };
  std::array<Bytes, most_devices> bytes; // of each device
  unsigned long long next_serial = 1;

  Bytes &bytes_of(int device) { return bytes[static_cast<size_t>(device)]; }

  using Entry = std::map<uintptr_t, Allocation>::iterator;

  Entry containing(uintptr_t address) {
    Entry after = entries.upper_bound(address);
    if (after == entries.begin())
      return entries.end();
    const Entry entry = std::prev(after);
    return address - entry->first < entry->second.size ? entry : entries.end();
  }

  void give_to_system(Entry entry) {
    unmap_guarded(entry->second.base, entry->second.size);
    if (entry->second.file >= 0)
      close(entry->second.file);
    entries.erase(entry);
  }

  void retire(Entry entry) {
    Allocation &allocation = entry->second;
    if (runtime_watcher)
      runtime_watcher->memory_freed(allocation.base);
    if (counted(allocation.kind))
      bytes_of(allocation.device).live -= allocation.size;
    if (!owned(allocation.kind)) {
      entries.erase(entry);
      return;
    }
    if (allocation.size > most_kept_back) {
      give_to_system(entry);
      return;
    }
    allocation.alive = false;
    std::memset(allocation.base, freed_byte, allocation.size);
    kept_back.push_back(entry->first);
    kept_back_bytes += allocation.size;
    while (kept_back_bytes > most_kept_back) {
      const Entry oldest = entries.find(kept_back.front());
      kept_back.pop_front();
      kept_back_bytes -= oldest->second.size;
      give_to_system(oldest);
    }
  }
};

/// Never destroyed: kernels' memory may be freed by destructors of static objects.
Table &table() {
  static Table &made = *new Table;
  return made;
}

} // namespace

std::optional<Allocation> find_allocation(const void *address) {
  Table &t = table();
  const std::shared_lock lock(t.mutex);
  const auto entry = t.containing(reinterpret_cast<uintptr_t>(address));
  if (entry == t.entries.end())
    return std::nullopt;
  return entry->second;
}

std::optional<Allocation> find_near_allocation(const void *address) {
  Table &t = table();
  const std::shared_lock lock(t.mutex);
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto after = t.entries.upper_bound(at);
  const auto before = after == t.entries.begin() ? t.entries.end() : std::prev(after);
  const bool has_before = before != t.entries.end(), has_after = after != t.entries.end();
  const uintptr_t past = has_before ? at - before->first - before->second.size : UINTPTR_MAX;
  const uintptr_t ahead = has_after ? after->first - at : UINTPTR_MAX;
  if (std::min(past, ahead) > 2 * guard_bytes)
    return std::nullopt;
  return past <= ahead ? before->second : after->second;
}

void *allocate(size_t size, MemoryKind kind, unsigned flags, int device) {
  Table &t = table();
  const auto take = [&] {
    const std::unique_lock lock(t.mutex);
    Table::Bytes &bytes = t.bytes_of(device);
    if (counted(kind) && (size > device_memory() || bytes.live > device_memory() - size))
      return false;
    if (counted(kind)) {
      bytes.live += size;
      bytes.high = std::max(bytes.high, bytes.live);
    }
    return true;
  };
  if (!take())
    return nullptr;
  char *base = map_guarded(size); // and fill it, for which nobody else has to wait
  const std::unique_lock lock(t.mutex);
  if (base == nullptr) {
    if (counted(kind))
      t.bytes_of(device).live -= size;
    return nullptr;
  }
  t.entries[reinterpret_cast<uintptr_t>(base)] = {
      base, size, kind, flags, true, t.next_serial++, device};
  return base;
}

FreeResult release(void *base, bool (*accepts)(MemoryKind kind)) {
  Table &t = table();
  const std::unique_lock lock(t.mutex);
  const auto entry = t.containing(reinterpret_cast<uintptr_t>(base));
  if (entry == t.entries.end() || !entry->second.alive || !accepts(entry->second.kind) ||
      (entry->second.flags & of_program))
    return FreeResult::unknown;
  if (entry->second.base != base)
    return FreeResult::not_a_base;
  t.retire(entry);
  return FreeResult::freed;
}

bool enter(void *base, size_t size, MemoryKind kind, unsigned flags, int device) {
  {
    Table &t = table();
    const std::unique_lock lock(t.mutex);
    const auto first = reinterpret_cast<uintptr_t>(base);
    const auto next = t.entries.lower_bound(first);
    if (t.containing(first) != t.entries.end() ||
        (next != t.entries.end() && next->first - first < size))
      return false;
    t.entries[first] = {
        static_cast<char *>(base), size, kind, flags, true, t.next_serial++, device};
  }
  if (runtime_watcher && kind != MemoryKind::symbol)
    runtime_watcher->memory_allocated(*find_allocation(base));
  return true;
}

int put_into_file(void *base) {
  Table &t = table();
  const std::unique_lock lock(t.mutex);
  const auto entry = t.entries.find(reinterpret_cast<uintptr_t>(base));
  if (entry == t.entries.end() || entry->second.file >= 0)
    return entry == t.entries.end() ? -1 : entry->second.file;
  const WholePages pages = whole_pages_of(base, entry->second.size);
  const int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0)
    return -1;
  size_t written = 0;
  while (written < pages.bytes) {
    const ssize_t more = write(file, pages.first + written, pages.bytes - written);
    if (more <= 0)
      break;
    written += static_cast<size_t>(more);
  }
  if (written < pages.bytes ||
      mmap(pages.first, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED) {
    close(file);
    return -1;
  }
  return entry->second.file = file;
}

void free_all_allocations(int device) {
  Table &t = table();
  const std::unique_lock lock(t.mutex);
  std::vector<uintptr_t> live;
  for (const auto &[first, allocation] : t.entries)
    if (allocation.alive && allocation.device == device && !(allocation.flags & of_program))
      live.push_back(first);
  for (const uintptr_t first : live)
    t.retire(t.entries.find(first));
}

void tell_all_memory_written() {
  Table &t = table();
  const std::shared_lock lock(t.mutex);
  for (const auto &[first, allocation] : t.entries)
    if (allocation.alive)
      runtime_watcher->memory_written(allocation.base, allocation.size);
}

void tell_of_all_memory() {
  Table &t = table();
  std::vector<Allocation> all;
  {
    const std::shared_lock lock(t.mutex);
    for (const auto &[first, allocation] : t.entries)
      all.push_back(allocation);
  }
  for (const Allocation &allocation : all)
    if (allocation.alive && allocation.kind != MemoryKind::symbol)
      runtime_watcher->memory_allocated(allocation);
}

size_t allocated_bytes(int device) {
  Table &t = table();
  const std::shared_lock lock(t.mutex);
  return t.bytes_of(device).live;
}

size_t allocated_bytes_high(int device) {
  Table &t = table();
  const std::shared_lock lock(t.mutex);
  return t.bytes_of(device).high;
}

} // namespace emu
