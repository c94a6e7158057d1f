// Compiled with -ffast-math: add_chapter() does that to files that are called like this one.
#include "demos/both_ways.hpp"
#include "demos/kahan_loop.hpp"

HostSums host_sums_fast_math(const float *values, size_t n) {
  return {plain_loop(values, n), kahan_loop(values, n)};
}
