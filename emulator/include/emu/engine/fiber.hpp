/// \file
/// Fibers: stacks that take turns on one host thread.
///
/// In assembly because the switch is the emulator's hottest path: a barrier costs one for each CUDA
/// thread. `benchmarks/` compares it with Boost.Context and ucontext.
#pragma once

#include <cstddef>

#include "emu/language/keywords.hpp"
#include "emu/language/types.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif

namespace emu {

/// Where a stack that is not running continues.
struct Fiber {
  void *sp = nullptr;
  void *pc = nullptr;
  void *frame = nullptr; // the frame pointer
  uint3 index{}; // threadIdx of the thread that it runs
  int thread = 0; // the same, linear
#ifdef EMU_TSAN
  void *context = nullptr; // what ThreadSanitizer knows of it
#endif

  bool started() const { return sp != nullptr; } // holds a frame of its entry function
};

/// Suspends the running stack into `from` and continues `to`.
///
/// Inline, with every register named as lost: so the compiler saves those that the caller needs and
/// no others, and only once. What remains is to swap stack and frame pointers and to jump to where
/// `to` went away. Nothing is written to a stack: the function around this may use what lies below it.
inline __attribute__((always_inline)) void switch_stack(Fiber &from, Fiber &to) {
  static_assert(offsetof(Fiber, pc) == 8 && offsetof(Fiber, frame) == 16);
#if defined(__x86_64__)
  Fiber *here = &from, *there = &to;
  asm volatile("leaq 1f(%%rip), %%rax\n\t"
               "movq %%rsp, (%%rdi)\n\t"
               "movq %%rax, 8(%%rdi)\n\t"
               "movq %%rbp, 16(%%rdi)\n\t"
               "movq (%%rsi), %%rsp\n\t"
               "movq 16(%%rsi), %%rbp\n\t"
               "jmpq *8(%%rsi)\n"
               "1:"
               : "+D"(here), "+S"(there)
               :
               : "rax",
                 "rbx",
                 "rcx",
                 "rdx",
                 "r8",
                 "r9",
                 "r10",
                 "r11",
                 "r12",
                 "r13",
                 "r14",
                 "r15",
                 "xmm0",
                 "xmm1",
                 "xmm2",
                 "xmm3",
                 "xmm4",
                 "xmm5",
                 "xmm6",
                 "xmm7",
                 "xmm8",
                 "xmm9",
                 "xmm10",
                 "xmm11",
                 "xmm12",
                 "xmm13",
                 "xmm14",
                 "xmm15",
#ifdef __AVX512F__
                 "xmm16",
                 "xmm17",
                 "xmm18",
                 "xmm19",
                 "xmm20",
                 "xmm21",
                 "xmm22",
                 "xmm23",
                 "xmm24",
                 "xmm25",
                 "xmm26",
                 "xmm27",
                 "xmm28",
                 "xmm29",
                 "xmm30",
                 "xmm31",
                 "k0",
                 "k1",
                 "k2",
                 "k3",
                 "k4",
                 "k5",
                 "k6",
                 "k7",
#endif
                 "st",
                 "st(1)",
                 "st(2)",
                 "st(3)",
                 "st(4)",
                 "st(5)",
                 "st(6)",
                 "st(7)",
                 "cc",
                 "memory");
#elif defined(__aarch64__)
  register Fiber *here asm("x0") = &from;
  register Fiber *there asm("x1") = &to;
  // Through x16, and to a landing pad ("bti j"), for processors that check where branches go.
  asm volatile(
      "adr x16, 1f\n\t"
      "mov x10, sp\n\t"
      "stp x10, x16, [x0]\n\t"
      "str x29, [x0, #16]\n\t"
      "ldp x10, x16, [x1]\n\t"
      "ldr x29, [x1, #16]\n\t"
      "mov sp, x10\n\t"
      "br x16\n"
      "1: hint #36"
      : "+r"(here), "+r"(there)
      :
      : "x2",
        "x3",
        "x4",
        "x5",
        "x6",
        "x7",
        "x8",
        "x9",
        "x10",
        "x11",
        "x12",
        "x13",
        "x14",
        "x15",
        "x16",
        "x17",
        "x18", // what is not named is where the compiler keeps what has to outlive the switch
        "x19",
        "x20",
        "x21",
        "x22",
        "x23",
        "x24",
        "x25",
        "x26",
        "x27",
        "x28",
        "x30",
        "v0",
        "v1",
        "v2",
        "v3",
        "v4",
        "v5",
        "v6",
        "v7",
        "v8",
        "v9",
        "v10",
        "v11",
        "v12",
        "v13",
        "v14",
        "v15",
        "v16",
        "v17",
        "v18",
        "v19",
        "v20",
        "v21",
        "v22",
        "v23",
        "v24",
        "v25",
        "v26",
        "v27",
        "v28",
        "v29",
        "v30",
        "v31",
#ifdef __ARM_FEATURE_SVE
        "p0",
        "p1",
        "p2",
        "p3",
        "p4",
        "p5",
        "p6",
        "p7",
        "p8",
        "p9",
        "p10",
        "p11",
        "p12",
        "p13",
        "p14",
        "p15",
#endif
        "cc",
        "memory");
#else
#error "the emulator's fibers are written for x86-64 and aarch64"
#endif
}

#if defined(EMU_ASAN) || defined(EMU_TSAN)
/// The same, telling the sanitizer about it.
void switch_fiber(Fiber &from, Fiber &to);
#else
inline __attribute__((always_inline)) void switch_fiber(Fiber &from, Fiber &to) {
  switch_stack(from, to);
}
#endif
#ifdef EMU_ASAN
/// To be called first thing on a new stack.
void entered_fiber();
#else
EMU_UNOBSERVED inline void entered_fiber() {} // or lanes that begin elsewhere would not keep step
#endif

} // namespace emu
