#include "steps/host_loop.hpp"

#include "steps/euclidean.cuh"

namespace host_loop {
namespace {

std::vector<float> distances;

} // namespace

void run(Points &p) {
  distances.resize(p.n);
  for (unsigned i = 0; i < p.n; ++i)
    distances[i] = euclidean(p.h_a[i], p.h_b[i]);
}

lab::Verdict check(Points &p) {
  return lab::compare(distances, p.expected, lab::tolerance_for_operations<float>(4));
}

} // namespace host_loop
