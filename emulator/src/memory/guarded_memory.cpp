#include "memory/guarded_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace emu {
namespace {

// Filling costs a write of every byte. Beyond this size the rest keeps the system's zero pages.
constexpr size_t most_filled = size_t{256} << 20;

// The accessible bytes: a page in front (of which the redzone is a part), then the allocation, which
// ends as close to the guard as its alignment allows.
struct Layout {
  size_t accessible;
  size_t front; // bytes from the first accessible one to the allocation
};

// Aligned at least as on a device; what is small lies in one page, so that what depends on an address's
// low bits is the same in every run.
Layout layout_of(size_t size) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t front = std::bit_ceil(std::clamp(size, redzone, page));
  return {(front + size + redzone + page - 1) / page * page, front};
}

// Addresses for so many bytes between two guards; all of them still fault. Null if there are none.
char *reserve(size_t bytes) {
  void *reserved = mmap(nullptr,
                        bytes + 2 * guard_bytes,
                        PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1,
                        0);
  return reserved == MAP_FAILED ? nullptr : static_cast<char *>(reserved) + guard_bytes;
}

} // namespace

char *map_guarded(size_t size) {
  if (size > SIZE_MAX / 4)
    return nullptr;
  const auto [accessible, front] = layout_of(size);
  char *memory = reserve(accessible);
  if (memory != nullptr && mprotect(memory, accessible, PROT_READ | PROT_WRITE) != 0) {
    unmap_guarded_file(memory, accessible);
    memory = nullptr;
  }
  if (memory == nullptr)
    return nullptr;
#ifdef MADV_HUGEPAGE
  if (accessible >= size_t{8} << 20)
    madvise(memory, accessible, MADV_HUGEPAGE);
#endif
  std::memset(memory, fresh_byte, front + std::min(size, most_filled));
  std::memset(memory + front + size, fresh_byte, accessible - front - size);
  return memory + front;
}

void unmap_guarded(char *base, size_t size) {
  const auto [accessible, front] = layout_of(size);
  unmap_guarded_file(base - front, accessible);
}

WholePages whole_pages_of(void *base, size_t size) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(base);
  const uintptr_t before = first % page;
  return {static_cast<char *>(base) - before, (before + size + page - 1) / page * page};
}

char *map_guarded_file(int file, size_t bytes) {
  char *first = reserve(bytes);
  if (first != nullptr &&
      mmap(first, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    unmap_guarded_file(first, bytes);
    return nullptr;
  }
  return first;
}

void unmap_guarded_file(char *first, size_t bytes) {
  munmap(first - guard_bytes, bytes + 2 * guard_bytes);
}

} // namespace emu
