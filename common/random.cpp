#include "common/random.hpp"

namespace lab {

void fill_random(std::uint32_t *values, std::size_t n, std::uint64_t seed) {
  for (std::size_t i = 0; i < n; ++i)
    values[i] = random_u32(seed, i);
}

void fill_random(int *values, std::size_t n, std::uint64_t seed, int low, int high) {
  for (std::size_t i = 0; i < n; ++i)
    values[i] = random_int(seed, i, low, high);
}

void fill_random(float *values, std::size_t n, std::uint64_t seed, float low, float high) {
  for (std::size_t i = 0; i < n; ++i)
    values[i] = random_float(seed, i, low, high);
}

} // namespace lab
