#include "engine/shared_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <sys/mman.h>

#include "emu/engine/engine.hpp"
#include "emu/runtime/errors.hpp"
#include "engine/limits.hpp"
#include "engine/watcher.hpp"

namespace emu {

uint32_t current_launch = 0;
constinit thread_local char *static_shared = nullptr;
constinit thread_local char *dynamic_shared = nullptr;

namespace {

constexpr std::align_val_t arena_alignment{4096}; // a page, as it may be closed
constexpr size_t gap = 1024; // bytes between and around static and dynamic shared memory
constexpr size_t static_arena = 2 * shared_per_block; // room for the distances kept below
static_assert(shared_arena_bytes == static_arena + gap + most_shared_per_block + gap);
constexpr size_t whole_arena = (gap + shared_arena_bytes + 4095) / 4096 * 4096;

std::mutex layout_mutex;
uint32_t layout_launch = 0;
size_t layout_end = 0; // where the next variable may begin
size_t layout_used = 0; // bytes that the kernel asked for
std::vector<const SharedVariable *> layout;

} // namespace

void SharedMemory::Free::operator()(char *memory) const {
  ::operator delete(memory, arena_alignment);
}

SharedMemory::SharedMemory() {
  memory_.reset(static_cast<char *>(::operator new(whole_arena, arena_alignment)));
  std::memset(memory_.get(), 0xA5, whole_arena);
}

void SharedMemory::close() { closed_ = mprotect(memory_.get(), whole_arena, PROT_NONE) == 0; }

void SharedMemory::open() {
  if (closed_)
    mprotect(memory_.get(), whole_arena, PROT_READ | PROT_WRITE);
  closed_ = false;
}

char *SharedMemory::begin() const { return memory_.get() + gap; }

void SharedMemory::enter() {
  static_shared = begin();
  dynamic_shared = static_shared + static_arena + gap;
}

void place_shared(SharedVariable &variable) {
  std::unique_lock lock(layout_mutex);
  if (__atomic_load_n(&variable.launch, __ATOMIC_RELAXED) == current_launch)
    return;
  if (layout_launch != current_launch) {
    layout_launch = current_launch;
    layout_end = layout_used = 0;
    layout.clear();
  }
  const auto aligned = [&](size_t offset) {
    return (offset + variable.align - 1) / variable.align * variable.align;
  };
  const size_t offset = aligned(layout_end);
  layout_used = aligned(layout_used) + variable.size;
  if (layout_used > shared_per_block || offset + variable.size > static_arena) {
    char text[256];
    std::snprintf(text,
                  sizeof text,
                  "%s (%zu bytes) does not fit: a kernel has %zu bytes of static "
                  "shared memory; try: dynamic shared memory",
                  variable.name,
                  variable.size,
                  shared_per_block);
    lock.unlock(); // this thread does not come back
    fail_launch(cudaErrorInvalidValue, "too_much_shared", text, {});
  }
  variable.offset = static_cast<uint32_t>(offset);
  layout_end = offset + variable.size;
  // Under observation the next variable keeps its distance, so that an overrun is seen as one. A
  // whole round of the banks: every variable still begins at the bank it would begin at alone.
  if (kernel_watcher)
    layout_end = (layout_end + 2 * 128 - 1) / 128 * 128;
  layout.push_back(&variable);
  __atomic_store_n(&variable.launch, current_launch, __ATOMIC_RELEASE);
}

SharedPlace
find_shared(const char *begin, const void *address, size_t bytes, size_t dynamic_bytes) {
  const auto offset = static_cast<size_t>(static_cast<const char *>(address) - begin);
  if (offset >= shared_arena_bytes) {
    // Just before the first variable: still shared memory, but nobody's.
    return offset + gap < gap ? SharedPlace::nothing : SharedPlace::elsewhere;
  }
  constexpr size_t dynamic_begin = static_arena + gap;
  if (offset >= dynamic_begin)
    return offset - dynamic_begin + bytes <= dynamic_bytes ? SharedPlace::dynamic
                                                           : SharedPlace::nothing;
  for (const SharedVariable *variable : layout)
    if (offset - variable->offset < variable->size &&
        offset - variable->offset + bytes <= variable->size)
      return SharedPlace::variable;
  return SharedPlace::nothing;
}

const std::vector<const SharedVariable *> &placed_shared_variables() { return layout; }
size_t static_shared_used() { return layout_launch == current_launch ? layout_used : 0; }
size_t static_shared_end() { return layout_launch == current_launch ? layout_end : 0; }

} // namespace emu
