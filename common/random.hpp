/// @file
/// Seeded random numbers by position: number i depends on (seed, i) alone.
///
/// So host and device, one thread or a million, g++ or nvcc: all draw the same numbers, and any
/// element of an input can be recomputed without the others.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lab {

/// The seed used unless --seed says otherwise.
inline constexpr std::uint64_t default_seed = 2026;

/// 64 random bits number `index` of the stream `seed`.
///
/// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014), applied to a counter that advances by the golden ratio.
__host__ __device__ inline std::uint64_t random_u64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1B54A32D192ED03ull + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// 32 random bits.
__host__ __device__ inline std::uint32_t random_u32(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint32_t>(random_u64(seed, index) >> 32);
}

/// A whole number in [low, high], both ends included.
__host__ __device__ inline int
random_int(std::uint64_t seed, std::uint64_t index, int low, int high) {
  const std::uint64_t span = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low) + 1;
  const std::uint64_t scaled = (static_cast<std::uint64_t>(random_u32(seed, index)) * span) >> 32;
  return static_cast<int>(low + static_cast<std::int64_t>(scaled));
}

/// A float in [0, 1), a multiple of 2^-24: exact, so the same everywhere.
__host__ __device__ inline float random_float(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(random_u64(seed, index) >> 40) * 0x1p-24f;
}

/// A float in [low, high]. One fused multiply-add, so that no compiler rounds it differently.
__host__ __device__ inline float
random_float(std::uint64_t seed, std::uint64_t index, float low, float high) {
  return fmaf(random_float(seed, index), high - low, low);
}

/// values[i] = random_u32(seed, i), on the host.
void fill_random(std::uint32_t *values, std::size_t n, std::uint64_t seed);

/// values[i] = random_int(seed, i, low, high), on the host.
void fill_random(int *values, std::size_t n, std::uint64_t seed, int low, int high);

/// values[i] = random_float(seed, i, low, high), on the host.
void fill_random(
    float *values, std::size_t n, std::uint64_t seed, float low = 0.0f, float high = 1.0f);

} // namespace lab
