#pragma once

#include "ladder/chapter.hpp"

#include <cmath>
#include <vector>

namespace demo_rounding {

__global__ void
compute(const float *a, const float *b, float *quotient, float *root, float *tiny, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    quotient[i] = a[i] / b[i];
    root[i] = sqrtf(a[i]);
    tiny[i] = a[i] * 1e-42f; // below the smallest normal float, 1.18e-38
  }
}

/// How many of the device's results are not the host's, bit for bit.
inline unsigned
differences(const lab::DeviceBuffer<float> &d_x, const std::vector<float> &a, auto on_host) {
  const std::vector<float> x = d_x.download();
  unsigned count = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    count += x[i] != on_host(a[i], i);
  return count;
}

inline void run(lab::Demo &demo) {
  const unsigned n = demo.quick() ? 1000 : 1u << 20;
  std::vector<float> a(n), b(n);
  for (unsigned i = 0; i < n; ++i) {
    a[i] = lab::random_float(demo.seed(), 2 * i, 0.001f, 1000.0f);
    b[i] = lab::random_float(demo.seed(), 2 * i + 1, 0.001f, 10.0f);
  }
  lab::DeviceBuffer<float> d_a(a), d_b(b), d_quotient(n), d_root(n), d_tiny(n);
  compute<<<(n + 255) / 256, 256>>>(
      d_a.data(), d_b.data(), d_quotient.data(), d_root.data(), d_tiny.data(), n);
  LAB_CHECK_LAUNCH();
  const unsigned quotients =
      differences(d_quotient, a, [&](float x, std::size_t i) { return x / b[i]; });
  const unsigned roots = differences(d_root, a, [](float x, std::size_t) { return std::sqrt(x); });
  const unsigned tiny = differences(d_tiny, a, [](float x, std::size_t) { return x * 1e-42f; });
  demo.say("of %u results, those that are not the host's bit for bit:\n", n);
  demo.say("  quotients            %u\n", quotients);
  demo.say("  square roots         %u\n", roots);
  demo.say("  denormal products    %u\n", tiny);
  demo.value("quotients", quotients);
  demo.value("roots", roots);
  demo.value("tiny", tiny);
  demo.expect(quotients == 0 && roots == 0 && tiny == 0,
              "division, root and tiny numbers are IEEE 754's, on the device as on the host");
}

} // namespace demo_rounding
