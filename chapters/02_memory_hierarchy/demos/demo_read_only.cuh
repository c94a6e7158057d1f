#pragma once

#include "problem.hpp"

namespace demo_read_only {

// v4, with three ways to read. The pointers of the first might overlap, for all nvcc knows.
__global__ void plain(const int *in, size_t n, Sum *partials) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
  for (size_t i = thread; i < n; i += threads)
    sum += square(in[i]);
  partials[thread] = sum;
}

// A promise that they do not: nobody writes what is read here.
__global__ void restricted(const int *__restrict__ in, size_t n, Sum *__restrict__ partials) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
  for (size_t i = thread; i < n; i += threads)
    sum += square(in[i]);
  partials[thread] = sum;
}

// The same promise for a single read: it may go through the read-only path.
__global__ void by_ldg(const int *in, size_t n, Sum *partials) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
  for (size_t i = thread; i < n; i += threads)
    sum += square(__ldg(&in[i]));
  partials[thread] = sum;
}

inline void run(lab::Demo &demo) {
  SumOfSquares p(lab::Case{demo.n_or(demo.timed() ? 1u << 26 : 100003), 0, demo.seed()});
  const unsigned threads = 1024, blocks = blocks_to_fill(threads);

  const auto show = [&](const char *key, void (*kernel)(const int *, size_t, Sum *)) {
    const auto launch = [&] {
      kernel<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
      p.partials = static_cast<size_t>(blocks) * threads;
    };
    demo.check(p, launch);
    demo.say("%-12s", key);
    demo.say_timed(
        std::string(key) + "_ms", "%9.4f ms\n", [&] { return lab::measure(launch).median_ms; });
  };
  show("plain", plain);
  show("restricted", restricted);
  show("ldg", by_ldg);
  if (lab::on_emulator())
    demo.say("\nThe emulator has no caches: there __ldg is a plain read.\n");
}

} // namespace demo_read_only
