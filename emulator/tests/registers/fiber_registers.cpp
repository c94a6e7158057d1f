// Two fibers that have more values to keep than there are registers of each sort: none may find the other's in its own.
#include <cstdint>
#include <cstdio>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "engine/stacks.hpp"

namespace {

constexpr int rounds = 1000;
emu::Fiber origin, fibers[2];
volatile int seed = 1;

/// A sum of values, each of which is needed before and after every switch.
template <bool Switching, int values, class T> [[gnu::noinline]] T mix(int mine) {
  T value[values];
#pragma GCC unroll 40
  for (int i = 0; i < values; ++i)
    value[i] = static_cast<T>(seed + i * (mine + 3));
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 40
    for (int i = 0; i < values; ++i)
      value[i] = (value[i] + value[(i + 7) % values]) / 2 + static_cast<T>(i);
    if (Switching)
      emu::switch_fiber(fibers[mine], fibers[1 - mine]);
  }
  T sum = 0;
#pragma GCC unroll 40
  for (int i = 0; i < values; ++i)
    sum = sum * 3 + value[i];
  return sum;
}

/// The same of masks, such as loops that work on several elements at a time keep.
template <bool Switching> [[gnu::noinline]] uint64_t mix_masks([[maybe_unused]] int mine) {
  int sums[16] = {};
#ifdef __AVX512F__
  constexpr int values = 6;
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __mmask16 mask[values];
#pragma GCC unroll 6
  for (int i = 0; i < values; ++i)
    mask[i] = _mm512_cmplt_epi32_mask(lanes, _mm512_set1_epi32(seed + i * (mine + 1)));
  __m512i sum = _mm512_setzero_si512();
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 6
    for (int i = 0; i < values; ++i)
      sum = _mm512_mask_add_epi32(sum, mask[i], sum, _mm512_set1_epi32(i + 1));
    if (Switching)
      emu::switch_fiber(fibers[mine], fibers[1 - mine]);
  }
  _mm512_storeu_si512(sums, sum);
#endif
  uint64_t all = 0;
  for (const int sum : sums)
    all = all * 31 + static_cast<uint64_t>(sum);
  return all;
}

struct Results {
  uint64_t whole, masked;
  double real;
  long double wide;
  bool operator==(const Results &) const = default;
};
Results results[2];

template <bool Switching> Results mix_all(int mine) {
  return {mix<Switching, 40, uint64_t>(mine),
          mix_masks<Switching>(mine),
          mix<Switching, 40, double>(mine),
          mix<Switching, 6, long double>(mine)};
}

void second() {
  emu::entered_fiber();
  results[1] = mix_all<true>(1);
  emu::switch_fiber(fibers[1], origin);
}

void first() {
  emu::entered_fiber();
  results[0] = mix_all<true>(0);
  emu::switch_fiber(fibers[0], fibers[1]);
}

} // namespace

int main() {
  emu::StackPool stacks(2, 64 << 10, 64 << 10);
  stacks.prepare(fibers[0], 0, first);
  stacks.prepare(fibers[1], 1, second);
  emu::switch_fiber(origin, fibers[0]);
  const bool right = results[0] == mix_all<false>(0) && results[1] == mix_all<false>(1);
  std::puts(right ? "right" : "a value was lost in a switch");
  return right ? 0 : 1;
}
