#pragma once

#include "demos/demos.hpp"
#include "steps/advance.cuh"
#include "steps/span.hpp"

#include <string>

namespace demo_kernels {

constexpr int threads = 1024; // enough to keep a multiprocessor busy
constexpr size_t most = 32;

inline void run(lab::Demo &demo) {
  make_steps_long();
  const int sms = lab::choose_device().sm_count;
  const int blocks = sms / 8 > 0 ? sms / 8 : 1; // of each kernel: an eighth of the device
  const size_t n = static_cast<size_t>(blocks) * threads;
  const unsigned steps = demo.quick() && !lab::being_observed() ? 10
                         : lab::on_emulator()                   ? 160
                                                                : 20000;
  const Streams streams(most);
  lab::DeviceBuffer<Word> in(n), out(most * n);
  lab::poison(in);
  demo.say("Kernels of %d blocks, each in a stream of its own; there are %d multiprocessors.\n\n",
           blocks,
           sms);
  demo.say("  kernels    µs   times one kernel   faster than in turn\n");
  double one = 0;
  for (const int kernels : {1, 2, 4, 8, 9, 12, 16, 17, 20, 24, 25, 28, 32}) {
    if (lab::on_emulator() && kernels > 17)
      break;
    const double us = span_us([&] {
      for (int k = 0; k < kernels; ++k)
        advance<<<blocks, threads, 0, streams.all[k]>>>(in.data(), out.data() + k * n, n, steps);
      LAB_CHECK_LAUNCH();
    });
    one = kernels == 1 ? us : one;
    if (us > 0) {
      demo.say("  %5d  %8.0f   %10.2f   %14.2f x\n", kernels, us, us / one, kernels * one / us);
      demo.value("times_" + std::to_string(kernels), us / one);
      demo.value("faster_" + std::to_string(kernels), kernels * one / us);
    } else {
      demo.say("  %5d\n", kernels);
    }
  }
  if (!can_tell_spans()) {
    demo.say("\n");
    say_who_tells(demo, "kernels");
  }
  bool right = true; // the first and the last word of the first kernels
  for (size_t i : {size_t{0}, n - 1, n, 16 * n - 1})
    right = right && out.at(i) == jump(0xCDCDCDCDCDCDCDCDu, steps);
  demo.expect(right, "all kernels are right");
}

} // namespace demo_kernels
