#pragma once

#include "euclidean.cuh"
#include "problem.hpp"

/// The baseline: one thread of the host, one distance after the other.
namespace host_loop {

inline std::vector<float> distances;

inline void run(Points &p) {
  distances.resize(p.n);
  for (unsigned i = 0; i < p.n; ++i)
    distances[i] = euclidean(p.h_a[i], p.h_b[i]);
}

inline lab::Verdict check(Points &p) {
  return lab::compare(distances, p.expected, lab::tolerance_for_operations<float>(4));
}

} // namespace host_loop
