#include "demos/both_ways.hpp"
#include "demos/kahan_loop.hpp"

HostSums host_sums(const float *values, size_t n) {
  return {plain_loop(values, n), kahan_loop(values, n)};
}
