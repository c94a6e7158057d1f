#pragma once

#include "demo_read_only.cuh"

namespace demo_transfer {

// v4 on data that is on the device already.
inline void sum(SumOfSquares &p) {
  const unsigned threads = 256, blocks = blocks_to_fill(threads);
  demo_read_only::plain<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
  LAB_CHECK_LAUNCH();
  p.partials = static_cast<size_t>(blocks) * threads;
}

inline void run(lab::Demo &demo) {
  const bool timed = !lab::on_emulator() && !demo.quick();
  SumOfSquares p(lab::Case{demo.n_or(timed ? 1u << 26 : 100003), 0, demo.seed()});
  const double bytes = sizeof(int) * static_cast<double>(p.n);
  p.prepare();
  sum(p);
  demo.expect(p.check());
  demo.say("%zu ints: %s to copy, two operations for each\n", p.n, lab::size_text(bytes).c_str());
  if (!timed) {
    demo.say("On a GPU this prints how long the copy takes beside the sum.\n");
    return;
  }
  double copy_ms = 0.0; // of several copies the fastest: the host's memory may be slow at first
  for (int turn = 0; turn < 5; ++turn) {
    const lab::HostTimer timer;
    p.d_in.upload(p.h_in);
    copy_ms = turn == 0 || timer.ms() < copy_ms ? timer.ms() : copy_ms;
  }
  const double sum_ms = lab::measure([&] { sum(p); }, {.cold_l2 = true}).median_ms;
  demo.say("\n%-28s%9.3f ms%8.1f GB/s\n", "host to device", copy_ms, bytes / copy_ms * 1e-6);
  demo.say("%-28s%9.3f ms%8.1f GB/s\n", "the sum, v4", sum_ms, bytes / sum_ms * 1e-6);
  demo.say("\nOf a program that copies once and adds once, the copy is %.1f %%. To be less than\n"
           "half of it, the data must be used %.0f times.\n",
           100.0 * copy_ms / (copy_ms + sum_ms),
           copy_ms / sum_ms);
  demo.value("copy_ms", copy_ms);
  demo.value("sum_ms", sum_ms);
  demo.value("copy_percent", 100.0 * copy_ms / (copy_ms + sum_ms));
  demo.value("copy_sums", copy_ms / sum_ms);
}

} // namespace demo_transfer
