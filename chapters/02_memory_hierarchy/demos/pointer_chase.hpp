/// @file
/// A walk from place to place: each read says where the next one is, so reads can't overlap.
#pragma once

#include "ladder/chapter.hpp"

#include <cstdint>
#include <utility>
#include <vector>

inline constexpr unsigned line_bytes = 128; // of a cache line
inline constexpr unsigned words_per_line = line_bytes / sizeof(unsigned);

/// One closed walk through all lines in random order; next[i] is the index of the word after word i.
/// (Sattolo's shuffle makes a single cycle, so no walk comes back early.)
inline std::vector<unsigned> closed_walk(unsigned lines, unsigned words, std::uint64_t seed) {
  std::vector<unsigned> order(lines);
  for (unsigned i = 0; i < lines; ++i)
    order[i] = i;
  for (unsigned i = lines - 1; i > 0; --i)
    std::swap(order[i], order[lab::random_u32(seed, i) % i]);
  std::vector<unsigned> next(static_cast<std::size_t>(lines) * words);
  for (unsigned i = 0; i < lines; ++i)
    next[static_cast<std::size_t>(i) * words] = order[i] * words;
  return next;
}

/// Where the host ends when it takes the same walk.
inline unsigned end_of_walk(const std::vector<unsigned> &next, unsigned steps) {
  unsigned at = 0;
  for (unsigned i = 0; i < steps; ++i)
    at = next[at];
  return at;
}
