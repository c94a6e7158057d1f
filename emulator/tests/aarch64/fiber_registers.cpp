// Two fibers that have more values to keep than there are registers: none may find the other's in its own.
#include <cstdint>
#include <cstdio>

#include "engine/stacks.hpp"

namespace {

constexpr int values = 40, rounds = 1000;
emu::Fiber origin, fibers[2];
uint64_t results[2];
volatile uint64_t seed = 1;

template <bool Switching> [[gnu::noinline]] uint64_t mix(int mine) {
  uint64_t value[values];
#pragma GCC unroll 40
  for (int i = 0; i < values; ++i)
    value[i] = seed + static_cast<uint64_t>(i * (mine + 3));
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 40
    for (int i = 0; i < values; ++i)
      value[i] = value[i] * 5 + value[(i + 7) % values];
    if (Switching)
      emu::switch_fiber(fibers[mine], fibers[1 - mine]);
  }
  uint64_t sum = 0;
#pragma GCC unroll 40
  for (int i = 0; i < values; ++i)
    sum = sum * 31 + value[i];
  return sum;
}

void second() {
  emu::entered_fiber();
  results[1] = mix<true>(1);
  emu::switch_fiber(fibers[1], origin);
}

void first() {
  emu::entered_fiber();
  results[0] = mix<true>(0);
  emu::switch_fiber(fibers[0], fibers[1]);
}

} // namespace

int main() {
  emu::StackPool stacks(2, 64 << 10, 64 << 10);
  stacks.prepare(fibers[0], 0, first);
  stacks.prepare(fibers[1], 1, second);
  emu::switch_fiber(origin, fibers[0]);
  const bool right = results[0] == mix<false>(0) && results[1] == mix<false>(1);
  std::puts(right ? "right" : "a value was lost in a switch");
  return right ? 0 : 1;
}
