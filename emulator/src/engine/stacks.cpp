#include "engine/stacks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef EMU_ASAN
#include <sanitizer/asan_interface.h>
#endif
#ifdef EMU_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace emu {

namespace {

// The lowest bytes of a stack without a guard hold this; whoever overwrites it has used more than the stack.
constexpr uint64_t canary = 0x5afe57acc5afe57aull;

#ifdef EMU_ASAN
// AddressSanitizer wants to know the bounds of the stack that is switched to.
thread_local const void *main_bottom = nullptr;
thread_local size_t main_size = 0;
thread_local StackPool *asan_pool = nullptr;
#endif

} // namespace

#ifdef EMU_ASAN
void entered_fiber() {
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (!asan_pool || asan_pool->find(bottom) < 0) {
    main_bottom = bottom;
    main_size = size;
  }
}

void switch_fiber(Fiber &from, Fiber &to) {
  void *fake_stack = nullptr;
  const int index = asan_pool ? asan_pool->find(to.sp) : -1;
  if (index >= 0)
    __sanitizer_start_switch_fiber(&fake_stack, asan_pool->bottom(index), asan_pool->bytes());
  else
    __sanitizer_start_switch_fiber(&fake_stack, main_bottom, main_size);
  switch_stack(from, to);
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
  if (asan_pool && asan_pool->find(bottom) < 0) {
    main_bottom = bottom;
    main_size = size;
  }
}
#endif

#ifdef EMU_TSAN
// What runs on one fiber after the other on a host thread is in order: the switch says so.
[[gnu::no_sanitize_thread]] void switch_fiber(Fiber &from, Fiber &to) {
  from.context = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.context, 0);
  switch_stack(from, to);
}
#endif

namespace {

// A guard may split the mapping in two, and a process has no more than 65530 of these.
constexpr int most_guards = 16384;
std::atomic<int> guards{0}; // of all pools
std::atomic<size_t> reserved{0}; // addresses of all pools, in bytes
#ifdef EMU_TSAN
std::atomic<int> contexts{0}; // of all pools
#endif

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// From now on nobody may touch the page. Since Linux 6.13 it stays in its mapping, which takes a fifth of the time.
bool forbid(void *page) {
#ifndef MADV_GUARD_INSTALL
  constexpr int MADV_GUARD_INSTALL = 102;
#endif
  return madvise(page, page_bytes(), MADV_GUARD_INSTALL) == 0 ||
         mprotect(page, page_bytes(), PROT_NONE) == 0;
}

/// Of the addresses that the process may have, as many are for stacks of the usual size; the others are left for those
/// of blocks that live at the same time, and for all else.
size_t most_reserved() {
  rlimit addresses;
  const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  return limited ? addresses.rlim_cur / 3 : SIZE_MAX;
}

} // namespace

// Below each stack lies a page that nobody may touch. Above it, room to begin at another line of the
// cache than the stack before: without it the hot ends of all stacks fall into the same few sets.
StackPool::StackPool(int count, size_t bytes, size_t least) : count_(count) {
  if (reserve(bytes_of(count, bytes, least, 0)))
    return;
  if (!reserve(least)) {
    std::fprintf(stderr,
                 "emulator: no memory for %d stacks of %zu bytes: set EMU_STACK_KB lower\n",
                 count_,
                 bytes_);
    std::abort();
  }
}

size_t StackPool::bytes_of(int count, size_t bytes, size_t least, size_t freed) {
  const size_t wanted = static_cast<size_t>(count) * bytes;
  return wanted + reserved - freed <= most_reserved() ? bytes : least;
}

bool StackPool::reserve(size_t bytes) {
  bytes_ = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
  stride_ = bytes_ + 2 * page_bytes();
  mapped_ = static_cast<size_t>(count_) * stride_;
  void *mapping = mmap(
      nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return false;
  madvise(mapping, mapped_, MADV_NOHUGEPAGE); // of which each would hold four stacks whole
  memory_ = static_cast<char *>(mapping);
  reserved += mapped_;
  return true;
}

void StackPool::enter() {
#ifdef EMU_ASAN
  asan_pool = this;
#endif
}

StackPool::~StackPool() {
#ifdef EMU_ASAN
  __asan_unpoison_memory_region(memory_, mapped_);
#endif
  munmap(memory_, mapped_);
  reserved -= mapped_;
  guards -= guarded_;
#ifdef EMU_TSAN
  for (void *context : contexts_)
    if (context != nullptr) {
      __tsan_destroy_fiber(context);
      --contexts;
    }
#endif
}

// Stacks are prepared in their order, so the guarded ones are the first ones.
void StackPool::guard(int index) {
  if (index != guarded_)
    return;
  if (guards++ < most_guards && forbid(bottom(index) - page_bytes()))
    ++guarded_;
  else
    --guards;
}

void StackPool::prepare(Fiber &fiber, int index, void (*entry)()) {
  guard(index);
  char *lowest = bottom(index);
#ifdef EMU_ASAN
  // Whoever had the stack before never returned, and has left marks around its variables.
  __asan_unpoison_memory_region(lowest, bytes_ + page_bytes());
#endif
  if (index >= guarded_)
    std::memcpy(lowest, &canary, sizeof canary);
  const size_t colour = static_cast<size_t>(index) * 3 * 64 % page_bytes();
  const uintptr_t top = reinterpret_cast<uintptr_t>(lowest + bytes_ + colour) & ~uintptr_t{15};
  // As if `entry` had just been called, from nowhere: a zero where the return address would be. On
  // x86-64 it lies on the stack, elsewhere in a register.
  void **frame = reinterpret_cast<void **>(top) - 2;
  frame[0] = frame[1] = nullptr;
#if defined(__x86_64__)
  ++frame;
#endif
#ifdef EMU_TSAN
  // A process has 8128 contexts. Without one of its own, a stack's calls are taken for another one's.
  const auto place = static_cast<size_t>(index);
  contexts_.resize(std::max(contexts_.size(), place + 1));
  if (contexts_[place] == nullptr && index > 0 && contexts > 4000) {
    fiber.context = contexts_[0];
  } else {
    if (contexts_[place] == nullptr)
      ++contexts;
    else
      __tsan_destroy_fiber(contexts_[place]);
    fiber.context = contexts_[place] = __tsan_create_fiber(0);
  }
#endif
  fiber.sp = frame;
  fiber.pc = reinterpret_cast<void *>(entry);
  fiber.frame = nullptr;
}

int StackPool::guarded_by(const void *address) const {
  const int index = find(address);
  const bool below = index >= 0 && static_cast<const char *>(address) < bottom(index);
  return below ? index : -1;
}

bool StackPool::overrun(int index) const {
  return index >= guarded_ && std::memcmp(bottom(index), &canary, sizeof canary) != 0;
}

int StackPool::find(const void *address) const {
  const auto offset = static_cast<size_t>(static_cast<const char *>(address) - memory_);
  const size_t index = offset / stride_;
  return static_cast<const char *>(address) >= memory_ && index < static_cast<size_t>(count_)
             ? static_cast<int>(index)
             : -1;
}

} // namespace emu
