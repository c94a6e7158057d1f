// What the compiler calls in an observed build: -fsanitize=thread announces each load and store,
// -fsanitize-coverage each basic block. No runtime of these is linked; these functions stand in.
// The address that a callback returns to names the instruction.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

#include "../src/engine/block.hpp"
#include "../src/engine/failures.hpp"
#include "block_observer.hpp"
#include "device_heap.hpp"
#include "recorder.hpp"
#include "text.hpp"

extern "C" char __executable_start[];

namespace emu {

namespace {

uint32_t program_counter(const void *return_address) {
  return static_cast<uint32_t>(static_cast<const char *>(return_address) - __executable_start);
}

/// The block that this host thread runs, for what only kernels do; null: none, or the instruments are at work.
BlockObserver *observed_block() {
  return looking ? nullptr : static_cast<BlockObserver *>(this_watcher);
}

// What it calls, it calls last, with arguments that fit into registers: so it needs none of the stack.
inline void announce_pieces(const void *address,
                            uint32_t pc,
                            const ThreadOperation &what,
                            uint64_t expected = 0) {
  if (looking)
    return;
  if (auto *block = static_cast<BlockObserver *>(this_watcher)) {
    if (what.sort == AtomicSort::alone &&
        block->passes_over(static_cast<const char *>(address),
                           static_cast<const char *>(__builtin_frame_address(0)),
                           what.operation))
      return;
    block->access(static_cast<char *>(const_cast<void *>(address)), pc, what, expected);
  } else if (Recorder *r = made_recorder) {
    r->host_accesses(
        static_cast<const char *>(address), what.bytes, what.operation, what.is_volatile, pc);
  }
}

inline void announce(
    const void *address, uint32_t bytes, Operation operation, bool is_volatile, const void *at) {
  announce_pieces(address, program_counter(at), {bytes, bytes, operation, is_volatile});
}

void announce_stores(const void *at, auto *...places) {
  (announce(places, sizeof *places, Operation::store, false, at), ...);
}

// A structure, or a stretch of memory: as many instructions as its alignment asks for, of up to
// `widest` bytes each. Its type's alignment is unknown, so its address must tell.
inline void announce_stretch(
    const void *address, size_t bytes, size_t widest, Operation operation, const void *at) {
  const uint64_t divisible = reinterpret_cast<uint64_t>(address) | bytes | widest;
  announce_pieces(address,
                  program_counter(at),
                  {bytes, static_cast<uint32_t>(divisible & -divisible), operation});
}

// g++ announces any 16 bytes that are aligned to 8 or more as one access. Where they turn out to be
// aligned to 8 only, they are two from then on.
void announce_sixteen(
    const void *address, uint32_t bytes, Operation operation, bool is_volatile, const void *at) {
  thread_local uint32_t two_pieces[1024]; // instructions, each at its number modulo 1024
  const uint32_t pc = program_counter(at);
  uint32_t &is_two = two_pieces[pc % 1024];
  if (reinterpret_cast<uint64_t>(address) % 16 == 8)
    is_two = pc;
  announce_pieces(address, pc, {bytes, is_two == pc ? 8u : 16u, operation, is_volatile});
}

// g++ announces a structure as a stretch unless it is 1 to 16 bytes long, a power of two, and
// aligned to its length (or to 8). So a short one of such a length is aligned to 4 at most.
inline void announce_range(const void *address, size_t bytes, Operation operation, const void *at) {
  const bool could_be_one = bytes <= 16 && (bytes & (bytes - 1)) == 0;
  announce_stretch(address, bytes, could_be_one ? 4 : 16, operation, at);
}

/// The strings that a kernel's printf reads.
/// \return false where the format asks for what a GPU's printf has not: the host's has %n, which stores, and more
bool announce_strings(const char *format, va_list given, const void *at) {
  va_list arguments;
  va_copy(arguments, given);
  bool known = true;
  const auto skip = [](const char *c, const char *signs) { return c + std::strspn(c, signs); };
  for (const char *c = format; *c; ++c) {
    if (*c != '%' || *++c == '%')
      continue;
    int precision = -1, longs = 0;
    const auto number = [&] {
      const int value = *c == '*' ? va_arg(arguments, int) : std::atoi(c);
      c = *c == '*' ? c + 1 : skip(c, "0123456789");
      return value;
    };
    c = skip(c, "-+ #0");
    number();
    if (*c == '.') {
      ++c;
      precision = number();
    }
    for (; *c && std::strchr("hljztL", *c); ++c)
      longs += *c != 'h';
    known = *c && std::strchr("aAcdeEfFgGiopsuxX", *c);
    if (!known)
      break;
    if (*c == 's') {
      const char *text = va_arg(arguments, const char *);
      const size_t most = precision < 0 ? SIZE_MAX : static_cast<size_t>(precision);
      if (const size_t read = text ? strnlen(text, most) : 0; read > 0 || most > 0)
        announce_stretch(text, read + (read < most ? 1 : 0), 1, Operation::load, at);
    } else if (std::strchr("aAeEfFgG", *c)) {
      longs > 0 ? void(va_arg(arguments, long double)) : void(va_arg(arguments, double));
    } else if (longs > 0 || *c == 'p') {
      (void)va_arg(arguments, long);
    } else {
      (void)va_arg(arguments, int);
    }
  }
  va_end(arguments);
  return known;
}

// For accesses of other threads a free is a write.
bool freed_by_kernel(void *memory, const void *at) {
  const size_t bytes = taken_from_device_heap(memory);
  if (bytes == 0)
    return false;
  announce_stretch(memory, bytes, 16, Operation::store, at);
  give_to_device_heap(memory);
  return true;
}

/// Host code is about to free this.
void note_free(void *memory) {
  if (Recorder *r = made_recorder; r && memory && !looking)
    r->host_frees(memory, malloc_usable_size(memory));
}

} // namespace

void note_atomic(
    const void *address, unsigned bytes, Scope scope, AtomicSort sort, uint64_t expected) {
  const uint32_t pc = program_counter(__builtin_return_address(0));
  announce_pieces(address, pc, {bytes, bytes, Operation::atomic, false, scope, sort}, expected);
}

void note_fence(Scope scope) {
  if (BlockObserver *block = observed_block())
    block->note_fence(scope);
}

void note_acquire() {
  if (BlockObserver *block = observed_block())
    block->note_acquire();
}

void note_active_mask() {
  if (BlockObserver *block = observed_block())
    block->note_active_mask();
}

void note_read_only(const void *address, unsigned bytes) {
  if (BlockObserver *block = observed_block())
    block->note_read_only(
        static_cast<const char *>(address), bytes, program_counter(__builtin_return_address(0)));
}

} // namespace emu

using emu::announce;
using emu::announce_range;
using emu::announce_sixteen;
using emu::announce_stretch;
using emu::Operation;

#define HERE __builtin_return_address(0)

// Where ThreadSanitizer itself is in the program, that hears of what is compiled for it, and these functions
// have other names (cmake/apart_from_tsan.sh).
#ifdef EMU_TSAN
#define CALLBACK(name) emu_tsan_##name
#else
#define CALLBACK(name) __tsan_##name
#endif

extern "C" {

#ifndef EMU_TSAN
void __tsan_init() {}
#endif
void CALLBACK(func_entry)(void *) {
  if (emu::BlockObserver *block = emu::observed_block())
    block->function_entered(static_cast<const char *>(HERE));
}
void CALLBACK(func_exit)() {
  if (emu::BlockObserver *block = emu::observed_block())
    block->function_left();
}

#define EMU_ACCESS(size, announce) \
  void CALLBACK(read##size)(void *p) { announce(p, size, Operation::load, false, HERE); } \
  void CALLBACK(write##size)(void *p) { announce(p, size, Operation::store, false, HERE); } \
  void CALLBACK(unaligned_read##size)(void *p) { announce_range(p, size, Operation::load, HERE); } \
  void CALLBACK(unaligned_write##size)(void *p) { \
    announce_range(p, size, Operation::store, HERE); \
  } \
  void CALLBACK(volatile_read##size)(void *p) { announce(p, size, Operation::load, true, HERE); } \
  void CALLBACK(volatile_write##size)(void *p) { \
    announce(p, size, Operation::store, true, HERE); \
  } \
  void CALLBACK(unaligned_volatile_read##size)(void *p) { \
    announce(p, size, Operation::load, true, HERE); \
  } \
  void CALLBACK(unaligned_volatile_write##size)(void *p) { \
    announce(p, size, Operation::store, true, HERE); \
  } \
  void CALLBACK(read_write##size)(void *p) { \
    announce(p, size, Operation::load, false, HERE); \
    announce(p, size, Operation::store, false, HERE); \
  } \
  void CALLBACK(unaligned_read_write##size)(void *p) { \
    announce_range(p, size, Operation::load, HERE); \
    announce_range(p, size, Operation::store, HERE); \
  }
EMU_ACCESS(1, announce)
EMU_ACCESS(2, announce)
EMU_ACCESS(4, announce)
EMU_ACCESS(8, announce)
EMU_ACCESS(16, announce_sixteen)

void CALLBACK(read_range)(void *p, size_t n) { announce_range(p, n, Operation::load, HERE); }
void CALLBACK(write_range)(void *p, size_t n) { announce_range(p, n, Operation::store, HERE); }
void CALLBACK(vptr_update)(void **p, void *) {
  announce(p, sizeof *p, Operation::store, false, HERE);
}
void CALLBACK(vptr_read)(void **p) { announce(p, sizeof *p, Operation::load, false, HERE); }

// Copies: those that the compiler makes of assignments, and calls (see emu/language/keywords.hpp).
void *CALLBACK(memcpy)(void *to, const void *from, size_t n) {
  announce_stretch(from, n, 16, Operation::load, HERE);
  announce_stretch(to, n, 16, Operation::store, HERE);
  return std::memcpy(to, from, n);
}
void *CALLBACK(memmove)(void *to, const void *from, size_t n) {
  announce_stretch(from, n, 16, Operation::load, HERE);
  announce_stretch(to, n, 16, Operation::store, HERE);
  return std::memmove(to, from, n);
}
void *CALLBACK(memset)(void *to, int value, size_t n) {
  announce_stretch(to, n, 16, Operation::store, HERE);
  return std::memset(to, value, n);
}

// The heap, which kernels have one of, too.
void *CALLBACK(malloc)(size_t n) {
  void *const memory = emu::take_from_device_heap(n);
  return memory ? memory : std::malloc(n);
}
void *CALLBACK(new)(size_t n) {
  void *const memory = emu::take_from_device_heap(n);
  return memory ? memory : ::operator new(n);
}
void CALLBACK(free)(void *p) {
  if (emu::freed_by_kernel(p, HERE))
    return;
  emu::note_free(p);
  std::free(p);
}
void CALLBACK(delete)(void *p) {
  if (emu::freed_by_kernel(p, HERE))
    return;
  emu::note_free(p);
  ::operator delete(p);
}

// Functions of the C library that read, as far as they have to.
void *CALLBACK(memchr)(const void *memory, int byte, size_t n) {
  const void *found = std::memchr(memory, byte, n);
  const char *first = static_cast<const char *>(memory);
  const size_t read = found ? static_cast<size_t>(static_cast<const char *>(found) - first) + 1 : n;
  announce_stretch(memory, read, 1, Operation::load, HERE);
  return const_cast<void *>(found);
}
int CALLBACK(memcmp)(const void *a, const void *b, size_t n) {
  announce_stretch(a, n, 16, Operation::load, HERE);
  announce_stretch(b, n, 16, Operation::load, HERE);
  return std::memcmp(a, b, n);
}
size_t CALLBACK(strlen)(const char *text) {
  const size_t length = std::strlen(text);
  announce_stretch(text, length + 1, 1, Operation::load, HERE);
  return length;
}
int CALLBACK(puts)(const char *text) {
  announce_stretch(text, std::strlen(text) + 1, 1, Operation::load, HERE);
  return std::puts(text);
}
int CALLBACK(printf)(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const bool known = !emu::in_kernel() || emu::announce_strings(format, arguments, HERE);
  const int printed = known ? std::vprintf(format, arguments) : std::printf("%s", format);
  va_end(arguments);
  return printed;
}

// Functions of the C library that store through pointers.
#define EMU_STORES(result, name, parameters, arguments, ...) \
  result CALLBACK(name) parameters { \
    emu::announce_stores(HERE, __VA_ARGS__); \
    return ::name arguments; \
  }
#include "emu/language/storing_functions.def"

// Atomics that a program writes itself, with the compiler's builtins or std::atomic.
#define EMU_ANNOUNCE_ATOMIC(T) \
  announce(const_cast<T *>(p), sizeof(T), Operation::atomic, false, HERE); \
  emu::note_acquire()
#define EMU_RMW(bits, T, name, builtin) \
  T CALLBACK(atomic##bits##_##name)(volatile T * p, T v, int) { \
    EMU_ANNOUNCE_ATOMIC(T); \
    return builtin(p, v, __ATOMIC_SEQ_CST); \
  }
#define EMU_CAS(bits, T, name, is_weak) \
  int CALLBACK(atomic##bits##_compare_exchange_##name)(volatile T * p, T * e, T v, int, int) { \
    EMU_ANNOUNCE_ATOMIC(T); \
    return __atomic_compare_exchange_n(p, e, v, is_weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define EMU_ATOMICS(bits, T) \
  T CALLBACK(atomic##bits##_load)(const volatile T *p, int) { \
    announce(const_cast<const T *>(p), sizeof(T), Operation::load, true, HERE); \
    emu::note_acquire(); \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST); \
  } \
  void CALLBACK(atomic##bits##_store)(volatile T * p, T v, int) { \
    announce(const_cast<T *>(p), sizeof(T), Operation::store, true, HERE); \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST); \
  } \
  EMU_RMW(bits, T, exchange, __atomic_exchange_n) \
  EMU_RMW(bits, T, fetch_add, __atomic_fetch_add) \
  EMU_RMW(bits, T, fetch_sub, __atomic_fetch_sub) \
  EMU_RMW(bits, T, fetch_and, __atomic_fetch_and) \
  EMU_RMW(bits, T, fetch_or, __atomic_fetch_or) \
  EMU_RMW(bits, T, fetch_xor, __atomic_fetch_xor) \
  EMU_CAS(bits, T, strong, false) \
  EMU_CAS(bits, T, weak, true) \
  T CALLBACK(atomic##bits##_compare_exchange_val)(volatile T * p, T e, T v, int, int) { \
    EMU_ANNOUNCE_ATOMIC(T); \
    __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return e; \
  }
EMU_ATOMICS(8, uint8_t)
EMU_ATOMICS(16, uint16_t)
EMU_ATOMICS(32, uint32_t)
EMU_ATOMICS(64, uint64_t)
void CALLBACK(atomic_thread_fence)(int) {
  emu::note_fence(emu::Scope::system);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void CALLBACK(atomic_signal_fence)(int) {}

// -fsanitize=alignment: what is about to be accessed is not aligned as its type wants. Up to 8 bytes
// the access itself tells. `what` is {file, line, column, type, log2 of the alignment, kind}.
struct TypeMismatch {
  const char *file;
  uint32_t line, column;
  const void *type;
  uint8_t log_alignment;
  uint8_t kind; // 0: loads, 1: stores; others, such as the call of a member, are no access
};
void __ubsan_handle_type_mismatch_v1(const TypeMismatch *what, void *p) {
  const size_t alignment = size_t{1} << what->log_alignment;
  if (alignment > 8 && what->kind <= 1)
    announce(p, alignment, what->kind == 0 ? Operation::load : Operation::store, false, HERE);
}

// -fsanitize=shift-exponent: a number is about to be shifted by as many bits as it has, or more, or fewer than 0.
// `size` of its type is 2 log2(bits), and 1 more if it is signed.
struct IntegerType {
  uint16_t kind, size;
  int bits() const { return 1 << (size >> 1); }
  bool is_signed() const { return (size & 1) != 0; }
};
struct ShiftOutOfBounds {
  const char *file;
  uint32_t line, column;
  const IntegerType *number, *count;
};
void __ubsan_handle_shift_out_of_bounds(const ShiftOutOfBounds *what, uintptr_t, uintptr_t count) {
  if (!emu::observed_block())
    return; // host code's are not CUDA's business
  const emu::Look look; // operator new may be the program's own
  const int spare = 64 - what->count->bits(); // clang leaves them 0
  const auto by = static_cast<int64_t>(count << spare) >> spare;
  const int bits = what->number->bits();
  const std::string text = emu::format(
      "a number of %d bits is shifted by %s, and only 0 to %d are defined: a GPU shifts all of its "
      "bits out, this CPU shifts it by %d",
      bits,
      (what->count->is_signed() ? std::to_string(by) : std::to_string(count)).c_str(),
      bits - 1,
      static_cast<int>(count % static_cast<unsigned>(bits)));
  emu::complain_at("undefined_shift", text.c_str(), static_cast<const char *>(HERE));
}

void __sanitizer_cov_trace_pc() {
  if (emu::BlockObserver *block = emu::observed_block())
    block->basic_block(emu::program_counter(HERE));
}

} // extern "C"
