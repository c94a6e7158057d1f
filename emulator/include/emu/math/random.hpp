/// \file
/// cuRAND's device functions for XORWOW (Marsaglia: Xorshift RNGs, 2003) and Philox4x32-10 (Salmon et al.: Parallel
/// Random Numbers, 2011). Integers and uniform numbers have a GPU's bits; normal ones go through logarithm and
/// sine, and may differ from a GPU's in their last bits.
#pragma once

#include "emu/language/letters_away.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>

#include "emu/language/types.hpp"
#include "emu/math/math_fast.hpp"

namespace emu {

/// What so many steps of XORWOW, and so many times 2^67 of them, make of its five words.
void xorwow_skip(unsigned (&words)[5], unsigned long long steps, unsigned long long sequences);

} // namespace emu

// Normal numbers are made in pairs: the flags tell what the second one is, that was spared (0 nothing, 1 normal,
// 2 logarithmically normal). Sizes are those of cuRAND's structures.
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output; // output: of ctr, its first STATE numbers are used
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace emu {

using Philox = curandStatePhilox4_32_10;
template <class State>
concept Generator = std::same_as<State, curandStateXORWOW> || std::same_as<State, Philox>;

inline uint4 philox_numbers(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter.x, b = uint64_t{0xCD9E8D57} * counter.z;
    counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x,
               static_cast<unsigned>(b),
               static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y,
               static_cast<unsigned>(a)};
    key = {key.x + 0x9E3779B9, key.y + 0xBB67AE85};
  }
  return counter;
}
/// Adds to the lower or the upper half of the counter, of 128 bits.
inline void philox_count(Philox &state, unsigned long long lower, unsigned long long upper = 0) {
  const auto join = [](unsigned low, unsigned high) { return low | uint64_t{high} << 32; };
  const uint64_t low = join(state.ctr.x, state.ctr.y) + lower;
  const uint64_t high = join(state.ctr.z, state.ctr.w) + upper + (low < lower);
  state.ctr = {static_cast<unsigned>(low),
               static_cast<unsigned>(low >> 32),
               static_cast<unsigned>(high),
               static_cast<unsigned>(high >> 32)};
  state.output = philox_numbers(state.ctr, state.key);
}

inline float uniform_of(unsigned x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; }
inline double uniform_of(unsigned low, unsigned high) { // of 53 bits
  return static_cast<double>(uint64_t{low} ^ uint64_t{high} << 21) * 0x1p-53 + 0x1p-54;
}
// Two normal numbers of two uniform ones (Box and Muller, 1958).
inline float2 normals_of(unsigned x, unsigned y) {
  constexpr float part_of_circle = 0x1p-32f * 6.2831855f;
  const float angle = fmaf(static_cast<float>(y), part_of_circle, part_of_circle / 2);
  const float radius = sqrtf(-2.0f * logf(uniform_of(x)));
  return {__sinf(angle) * radius, __cosf(angle) * radius};
}
inline double2 normals_of(uint4 x) {
  const double angle = 2 * uniform_of(x.z, x.w) * 3.14159265358979323846;
  const double radius = std::sqrt(-2.0 * std::log(uniform_of(x.x, x.y)));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

/// The first of a pair, or what the last call spared.
template <class T> inline T one_of_two(int &flag, T &extra, int kind, const auto &make) {
  if (flag == kind) {
    flag = 0;
    return extra;
  }
  const auto pair = make();
  flag = kind;
  extra = pair.y;
  return pair.x;
}

} // namespace emu

// ------------------------------------------------------------------------------------- bits

inline unsigned int curand(curandStateXORWOW *state) {
  const unsigned t = state->v[0] ^ state->v[0] >> 2;
  for (int i = 0; i < 4; ++i)
    state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ state->v[4] << 4) ^ (t ^ t << 1);
  state->d += 362437;
  return state->v[4] + state->d;
}
inline unsigned int curand(curandStatePhilox4_32_10 *state) {
  const unsigned result = (&state->output.x)[state->STATE];
  state->STATE = (state->STATE + 1) % 4;
  if (state->STATE == 0)
    emu::philox_count(*state, 1);
  return result;
}
/// The next four numbers.
inline uint4 curand4(curandStatePhilox4_32_10 *state) {
  const uint4 before = state->output;
  emu::philox_count(*state, 1);
  uint4 result;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned from = state->STATE + i;
    (&result.x)[i] = from < 4 ? (&before.x)[from] : (&state->output.x)[from - 4];
  }
  return result;
}
// As many as the functions on doubles take from either generator.
namespace emu {
inline uint4 four_of(curandStateXORWOW *state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return {x, y, z, w};
}
inline uint4 four_of(curandStatePhilox4_32_10 *state) { return curand4(state); }
} // namespace emu

// -------------------------------------------------------------------------- starting, skipping

inline void skipahead(unsigned long long n, curandStateXORWOW *state) {
  emu::xorwow_skip(state->v, n, 0);
  state->d += 362437 * static_cast<unsigned>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
  emu::xorwow_skip(state->v, 0, n);
}
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
  state->STATE += n % 4;
  emu::philox_count(*state, n / 4 + state->STATE / 4);
  state->STATE %= 4;
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
  emu::philox_count(*state, 0, n);
}

/// \param subsequence  2^67 numbers apart for XORWOW, 2^66 for Philox
/// \param offset  numbers to skip
inline void curand_init(unsigned long long seed,
                        unsigned long long subsequence,
                        unsigned long long offset,
                        curandStateXORWOW *state) {
  const unsigned t0 = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned t1 = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  curandStateXORWOW start{};
  start.d = 6615241 + t1 + t0 + 362437 * static_cast<unsigned>(offset);
  start.v[0] = 123456789u + t0;
  start.v[1] = 362436069u ^ t0;
  start.v[2] = 521288629u + t1;
  start.v[3] = 88675123u ^ t1;
  start.v[4] = 5783321u + t0;
  emu::xorwow_skip(start.v, offset, subsequence);
  *state = start;
}
inline void curand_init(unsigned long long seed,
                        unsigned long long subsequence,
                        unsigned long long offset,
                        curandStatePhilox4_32_10 *state) {
  curandStatePhilox4_32_10 start{};
  start.key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  start.STATE = offset % 4;
  emu::philox_count(start, offset / 4, subsequence);
  *state = start;
}

// ------------------------------------------------------------- uniform numbers, in (0, 1]

inline float curand_uniform(emu::Generator auto *state) { return emu::uniform_of(curand(state)); }
inline float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  return {emu::uniform_of(x.x), emu::uniform_of(x.y), emu::uniform_of(x.z), emu::uniform_of(x.w)};
}
inline double curand_uniform_double(curandStateXORWOW *state) {
  const unsigned low = curand(state);
  return emu::uniform_of(low, curand(state));
}
inline double curand_uniform_double(curandStatePhilox4_32_10 *state) {
  return static_cast<double>(curand(state)) * 0x1p-32 + 0x1p-32;
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  return {emu::uniform_of(x.x, x.y), emu::uniform_of(x.z, x.w)};
}
inline double4 curand_uniform4_double(curandStatePhilox4_32_10 *state) {
  const double2 first = curand_uniform2_double(state), second = curand_uniform2_double(state);
  return {first.x, first.y, second.x, second.y};
}

// ------------------------------------------------- normal numbers, with mean 0 and deviation 1

inline float2 curand_normal2(emu::Generator auto *state) {
  const unsigned x = curand(state);
  return emu::normals_of(x, curand(state));
}
inline float curand_normal(emu::Generator auto *state) {
  return emu::one_of_two(
      state->boxmuller_flag, state->boxmuller_extra, 1, [state] { return curand_normal2(state); });
}
inline float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  const float2 first = emu::normals_of(x.x, x.y), second = emu::normals_of(x.z, x.w);
  return {first.x, first.y, second.x, second.y};
}
inline double2 curand_normal2_double(emu::Generator auto *state) {
  return emu::normals_of(emu::four_of(state));
}
inline double curand_normal_double(emu::Generator auto *state) {
  return emu::one_of_two(state->boxmuller_flag_double, state->boxmuller_extra_double, 1, [state] {
    return curand_normal2_double(state);
  });
}
inline double4 curand_normal4_double(curandStatePhilox4_32_10 *state) {
  const double2 first = curand_normal2_double(state), second = curand_normal2_double(state);
  return {first.x, first.y, second.x, second.y};
}

// -------------------------- numbers whose logarithms are normal: their mean and deviation are given

inline float2 curand_log_normal2(emu::Generator auto *state, float mean, float stddev) {
  const float2 normals = curand_normal2(state);
  return {expf(mean + stddev * normals.x), expf(mean + stddev * normals.y)};
}
inline float curand_log_normal(emu::Generator auto *state, float mean, float stddev) {
  return emu::one_of_two(state->boxmuller_flag, state->boxmuller_extra, 2, [&] {
    return curand_log_normal2(state, mean, stddev);
  });
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float stddev) {
  const float4 normals = curand_normal4(state);
  return {expf(mean + stddev * normals.x),
          expf(mean + stddev * normals.y),
          expf(mean + stddev * normals.z),
          expf(mean + stddev * normals.w)};
}
inline double2 curand_log_normal2_double(emu::Generator auto *state, double mean, double stddev) {
  const double2 normals = curand_normal2_double(state);
  return {std::exp(mean + stddev * normals.x), std::exp(mean + stddev * normals.y)};
}
inline double curand_log_normal_double(emu::Generator auto *state, double mean, double stddev) {
  return emu::one_of_two(state->boxmuller_flag_double, state->boxmuller_extra_double, 2, [&] {
    return curand_log_normal2_double(state, mean, stddev);
  });
}

/// A number with Poisson's distribution (Knuth's way). From `lambda` = 64 to 4000 numbers are not a GPU's: a
/// sum of smaller ones, which has the same distribution.
inline unsigned int curand_poisson(emu::Generator auto *state, double lambda) {
  if (lambda > 4000)
    return static_cast<unsigned>(std::sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
  unsigned result = 0;
  for (; lambda >= 64; lambda -= 32)
    result += curand_poisson(state, 32);
  float product = expf(static_cast<float>(lambda)) * curand_uniform(state);
  for (; product > 1; product *= curand_uniform(state))
    ++result;
  return result;
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda) {
  const unsigned x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
  const unsigned z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
  return {x, y, z, w};
}

#include "emu/language/letters_back.hpp"
