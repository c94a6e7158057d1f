/// \file
/// Where two sequences differ: E. W. Myers, "An O(ND) difference algorithm and its variations" (1986).
#pragma once

#include <algorithm>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// Elements of `a` and of `b` that stand in each other's place; both ranges empty: one pair of equal elements.
struct Step {
  Range a, b;
  bool equal;
};

/// \param equal  compares elements i of [0, n) and k of [0, m)
template <class Equal> std::vector<Step> difference(size_t n, size_t m, const Equal &equal) {
  using Way = std::vector<long>; // the furthest place on each diagonal
  const long width = static_cast<long>(n), height = static_cast<long>(m), most = 3000;
  const long limit = std::min(width + height, most);
  std::vector<Way> ways;
  Way way(static_cast<size_t>(2 * limit + 3), 0);
  const auto at = [&](Way &w, long diagonal) -> long & {
    return w[static_cast<size_t>(diagonal + limit + 1)];
  };
  bool found = false;
  for (long d = 0; d <= limit && !found; ++d) {
    ways.push_back(way);
    for (long k = -d; k <= d && !found; k += 2) {
      long x = k == -d || (k != d && at(way, k - 1) < at(way, k + 1)) ? at(way, k + 1)
                                                                      : at(way, k - 1) + 1;
      while (x < width && x - k < height && x - k >= 0 &&
             equal(static_cast<size_t>(x), static_cast<size_t>(x - k)))
        ++x;
      at(way, k) = x;
      found = x >= width && x - k >= height;
    }
  }
  if (!found) // too much: all of it
    return {{{0, n}, {0, m}, false}};

  std::vector<Step> steps; // backwards
  const auto add = [&](long x0, long y0, long x1, long y1, bool same) {
    const Range a{static_cast<size_t>(x0), static_cast<size_t>(x1)};
    const Range b{static_cast<size_t>(y0), static_cast<size_t>(y1)};
    if (!same && !steps.empty() && !steps.back().equal) {
      steps.back().a.begin = a.begin;
      steps.back().b.begin = b.begin;
    } else {
      steps.push_back({a, b, same});
    }
  };
  long x = width, y = height;
  for (long d = static_cast<long>(ways.size()) - 1; d >= 0; --d) {
    Way &before = ways[static_cast<size_t>(d)];
    const long k = x - y;
    const long from = k == -d || (k != d && at(before, k - 1) < at(before, k + 1)) ? k + 1 : k - 1;
    const long px = d == 0 ? 0 : at(before, from), py = d == 0 ? 0 : px - from;
    for (; x > px && y > py; --x, --y)
      add(x - 1, y - 1, x, y, true);
    if (d > 0)
      add(px, py, x, y, false);
    x = px;
    y = py;
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

} // namespace rewriter
