#include "problem.hpp"

#include <cmath>

namespace {

/// Side of the smallest square picture that holds n points.
unsigned square_side(std::size_t n) {
  unsigned side = 1;
  while (static_cast<std::size_t>(side) * side < n)
    ++side;
  return side;
}

/// How far the most careless trap runs past the end: 32 rows of a picture, or one block.
/// A multiple of 32 elements keeps the data behind it aligned as if no canaries were there.
std::size_t canaries(unsigned cols) { return std::size_t{32} * cols + 1024; }

std::vector<float2> random_points(std::size_t n, std::uint64_t seed) {
  std::vector<float2> points(n);
  for (std::size_t i = 0; i < n; ++i) {
    points[i].x = lab::random_float(seed, 2 * i, -1000.0f, 1000.0f);
    points[i].y = lab::random_float(seed, 2 * i + 1, -1000.0f, 1000.0f);
  }
  return points;
}

} // namespace

Points::Points(const lab::Case &c)
    : n(static_cast<unsigned>(c.n)), cols(square_side(c.n)), a(c.n, canaries(cols)),
      b(c.n, canaries(cols)), distance(c.n, canaries(cols)), h_a(random_points(c.n, c.seed)),
      h_b(random_points(c.n, c.seed + 1)), expected(distances_on_host(h_a, h_b)) {
  if (c.block > 0)
    block = c.block;
  a.upload(h_a);
  b.upload(h_b);
}

lab::Verdict Points::check() {
  if (!distance.intact())
    return lab::Verdict::wrong("wrote outside of its n results: a canary is dead");
  // A difference, a square, the sum and the root round once each, and the root halves what came
  // before it: 3 roundings at most, and one more for the reference, which is stored as float.
  return lab::compare(distance.download(), expected, lab::tolerance_for_operations<float>(4));
}

std::vector<float> distances_on_host(const std::vector<float2> &a, const std::vector<float2> &b) {
  std::vector<float> distance(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double dx = static_cast<double>(a[i].x) - b[i].x;
    const double dy = static_cast<double>(a[i].y) - b[i].y;
    distance[i] = static_cast<float>(std::sqrt(dx * dx + dy * dy));
  }
  return distance;
}
