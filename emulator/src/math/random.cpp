// XORWOW's jumps. A step is linear over the bits of the five words, and so are 2^k steps: a matrix of 160 x 160
// bits, the square of the one of 2^(k-1).

#include <array>
#include <vector>

#include "emu/math/random.hpp"

namespace emu {

namespace {

using XorwowWords = std::array<unsigned, 5>;

/// What becomes of each single bit.
using BitMatrix = std::array<XorwowWords, 160>;

XorwowWords times(const BitMatrix &matrix, const XorwowWords &words) {
  XorwowWords result{};
  for (unsigned bit = 0; bit < 160; ++bit)
    if (words[bit / 32] >> bit % 32 & 1)
      for (unsigned k = 0; k < 5; ++k)
        result[k] ^= matrix[bit][k];
  return result;
}

BitMatrix one_step() {
  BitMatrix matrix;
  for (unsigned bit = 0; bit < 160; ++bit) {
    curandStateXORWOW state{};
    state.v[bit / 32] = 1u << bit % 32;
    curand(&state);
    for (unsigned k = 0; k < 5; ++k)
      matrix[bit][k] = state.v[k];
  }
  return matrix;
}

/// 2^k steps, for k from 0 to 67 + 63: as far as numbers of 64 bits tell.
const std::vector<BitMatrix> &powers() {
  static const std::vector<BitMatrix> all = [] {
    std::vector<BitMatrix> made = {one_step()};
    while (made.size() < 67 + 64) {
      BitMatrix square;
      for (unsigned bit = 0; bit < 160; ++bit)
        square[bit] = times(made.back(), made.back()[bit]);
      made.push_back(square);
    }
    return made;
  }();
  return all;
}

} // namespace

void xorwow_skip(unsigned (&words)[5], unsigned long long steps, unsigned long long sequences) {
  if ((steps | sequences) == 0)
    return;
  XorwowWords state = std::to_array(words);
  for (unsigned k = 0; k < 64; ++k) {
    if (steps >> k & 1)
      state = times(powers()[k], state);
    if (sequences >> k & 1)
      state = times(powers()[67 + k], state);
  }
  for (unsigned k = 0; k < 5; ++k)
    words[k] = state[k];
}

} // namespace emu
