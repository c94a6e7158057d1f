#pragma once

#include "problem.hpp"

#include <algorithm>

namespace demo_transfer {

// v4, in a loop that nvcc may unroll.
__global__ void plain(const int *in, size_t n, Sum *partials) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
  for (size_t i = thread; i < n; i += threads)
    sum += square(in[i]);
  partials[thread] = sum;
}

// Of data that is on the device already.
inline void sum(SumOfSquares &p) {
  const unsigned threads = 1024, blocks = blocks_to_fill(threads);
  plain<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
  LAB_CHECK_LAUNCH();
  p.partials = static_cast<size_t>(blocks) * threads;
}

/// Of several copies the fastest: the host's memory may be slow at first.
inline double best_copy_ms(SumOfSquares &p, const int *h_in) {
  double best = 0.0;
  for (int turn = 0; turn < 5; ++turn) {
    const lab::HostTimer timer;
    p.d_in.upload(h_in, p.n);
    const double ms = timer.ms();
    best = turn == 0 || ms < best ? ms : best;
  }
  return best;
}

inline void run(lab::Demo &demo) {
  SumOfSquares p(lab::Case{demo.n_or(demo.timed() ? 1u << 26 : 100003), 0, demo.seed()});
  const double bytes = sizeof(int) * static_cast<double>(p.n);
  p.prepare();
  sum(p);
  demo.expect(p.check());
  demo.say("%zu ints: %s to copy, two operations for each\n", p.n, lab::size_text(bytes).c_str());
  if (!demo.timed()) {
    demo.say("How long the copy takes beside the sum stands in the lesson, measured on an H200.\n");
    return;
  }
  const double copy_ms = best_copy_ms(p, p.h_in.data());
  lab::PinnedBuffer<int> pinned(p.n);
  std::copy(p.h_in.begin(), p.h_in.end(), pinned.data());
  const double pinned_ms = best_copy_ms(p, pinned.data());
  const double sum_ms = lab::measure([&] { sum(p); }, {.cold_l2 = true}).median_ms;
  demo.say("\n%-28s%9.3f ms%8.1f GB/s\n", "copy, pageable", copy_ms, bytes / copy_ms * 1e-6);
  demo.say("%-28s%9.3f ms%8.1f GB/s\n", "copy, page-locked", pinned_ms, bytes / pinned_ms * 1e-6);
  demo.say("%-28s%9.3f ms%8.1f GB/s\n", "the sum, v4", sum_ms, bytes / sum_ms * 1e-6);
  demo.say("\nOf a program that copies once and adds once, the copy is %.1f %%. To be less than\n"
           "half of it, the data must be used %.0f times; when it is page-locked, %.0f times.\n",
           100.0 * copy_ms / (copy_ms + sum_ms),
           copy_ms / sum_ms,
           pinned_ms / sum_ms);
  demo.value("copy_ms", copy_ms);
  demo.value("sum_ms", sum_ms);
  demo.value("copy_percent", 100.0 * copy_ms / (copy_ms + sum_ms));
  demo.value("copy_sums", copy_ms / sum_ms);
  demo.value("copy_gbps", bytes / copy_ms * 1e-6);
  demo.value("pinned_ms", pinned_ms);
  demo.value("pinned_gbps", bytes / pinned_ms * 1e-6);
  demo.value("pinned_sums", pinned_ms / sum_ms);
}

} // namespace demo_transfer
