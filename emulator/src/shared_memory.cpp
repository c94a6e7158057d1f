#include "shared_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "device.hpp"
#include "emu/engine.hpp"
#include "emu/errors.hpp"

namespace emu {

uint32_t current_launch = 0;
constinit thread_local char* static_shared = nullptr;
constinit thread_local char* dynamic_shared = nullptr;

namespace {

constexpr std::align_val_t arena_alignment{1024};
constexpr size_t redzone = 1024; // bytes between and around static and dynamic shared memory

std::mutex layout_mutex;
uint32_t layout_launch = 0;
size_t layout_used = 0;
std::vector<const SharedVariable*> layout;

} // namespace

void SharedMemory::Free::operator()(char* memory) const {
  ::operator delete(memory, arena_alignment);
}

SharedMemory::SharedMemory() {
  constexpr size_t size = 3 * redzone + shared_per_block + shared_per_block_optin;
  memory_.reset(static_cast<char*>(::operator new(size, arena_alignment)));
  std::memset(memory_.get(), 0xA5, size);
}

void SharedMemory::enter() {
  static_shared = memory_.get() + redzone;
  dynamic_shared = static_shared + shared_per_block + redzone;
}

void place_shared(SharedVariable& variable) {
  std::unique_lock lock(layout_mutex);
  if (__atomic_load_n(&variable.launch, __ATOMIC_RELAXED) == current_launch)
    return;
  if (layout_launch != current_launch) {
    layout_launch = current_launch;
    layout_used = 0;
    layout.clear();
  }
  const size_t offset = (layout_used + variable.align - 1) / variable.align * variable.align;
  if (offset + variable.size > shared_per_block) {
    char text[256];
    std::snprintf(text,
                  sizeof text,
                  "too_much_shared: %s (%zu bytes) does not fit: a kernel has %zu bytes of static "
                  "shared memory; try: dynamic shared memory",
                  variable.name,
                  variable.size,
                  shared_per_block);
    lock.unlock(); // this thread does not come back
    fail_launch(cudaErrorInvalidValue, text, {});
  }
  variable.offset = static_cast<uint32_t>(offset);
  layout_used = offset + variable.size;
  layout.push_back(&variable);
  __atomic_store_n(&variable.launch, current_launch, __ATOMIC_RELEASE);
}

const std::vector<const SharedVariable*>& placed_shared_variables() { return layout; }
size_t static_shared_used() { return layout_launch == current_launch ? layout_used : 0; }

} // namespace emu
