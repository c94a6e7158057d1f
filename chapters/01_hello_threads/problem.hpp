/// @file
/// The work of this chapter: the distances between n pairs of points in the plane.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

/// a / b, rounded up: how many groups of b hold a elements.
constexpr unsigned ceil_div(unsigned a, unsigned b) { return a / b + (a % b != 0); }

/// n pairs of points, their distances as the host computes them, and room for the kernels' answers.
///
/// Points and answers lie between canaries, so that a kernel that leaves its range is found out and
/// does no harm.
struct Points {
  unsigned n;
  unsigned cols; // the points as a picture: rows of this many points, the last row perhaps shorter
  int block = 256; // threads per block
  lab::GuardedBuffer<float2> a, b;
  lab::GuardedBuffer<float> distance;
  std::vector<float2> h_a, h_b;
  std::vector<float> expected;

  explicit Points(const lab::Case &c);

  unsigned rows() const { return n == 0 ? 0 : ceil_div(n, cols); }

  /// Poisons the answers, so that none of an earlier kernel can pass for one of this kernel.
  void prepare() { lab::poison(distance.data(), distance.size()); }

  /// Right when every distance is right and no canary was touched.
  lab::Verdict check();
};

/// The distances, computed by plain loops in double precision.
std::vector<float> distances_on_host(const std::vector<float2> &a, const std::vector<float2> &b);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void add_traps(lab::Ladder<Points> &ladder);
void add_demos(lab::Ladder<Points> &ladder);
