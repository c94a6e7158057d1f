// Two grids at once: what the first leaves free on each multiprocessor, the second takes.
#pragma once

#include "calculator.hpp"
#include "demos/weighted.cuh"

namespace demo_gaps {

// The first: 256 threads of 64 registers, and so much shared memory that three blocks fit: 48 KB on a
// GPU that has 164 KB, 64 KB on one with 228. The second: 512 threads, 32 registers, none of that.
constexpr int sums_a = 48, threads_a = 256, sums_b = 16, threads_b = 512;
constexpr auto first = weighted<sums_a, threads_a, 4>;
constexpr auto second = weighted<sums_b, threads_b, 2>;

struct Streams {
  Streams() {
    LAB_CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    LAB_CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    LAB_CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    LAB_CHECK(cudaEventCreateWithFlags(&done_a, cudaEventDisableTiming));
    LAB_CHECK(cudaEventCreateWithFlags(&done_b, cudaEventDisableTiming));
  }
  ~Streams() {
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(begun);
    cudaEventDestroy(done_a);
    cudaEventDestroy(done_b);
  }
  /// Both begin after the default stream's work so far, and it goes on when both are done.
  template <class A, class B> void at_once(A &&in_a, B &&in_b) {
    LAB_CHECK(cudaEventRecord(begun, nullptr));
    LAB_CHECK(cudaStreamWaitEvent(a, begun));
    LAB_CHECK(cudaStreamWaitEvent(b, begun));
    in_a(a);
    in_b(b);
    LAB_CHECK(cudaEventRecord(done_a, a));
    LAB_CHECK(cudaEventRecord(done_b, b));
    LAB_CHECK(cudaStreamWaitEvent(nullptr, done_a));
    LAB_CHECK(cudaStreamWaitEvent(nullptr, done_b));
  }
  cudaStream_t a, b;
  cudaEvent_t begun, done_a, done_b;
};

/// Blocks of the second kernel in what `blocks` blocks of the first leave free.
inline int blocks_in_gap(const occupancy::Limits &all,
                         const occupancy::Launch &a,
                         int blocks,
                         const occupancy::Launch &b) {
  occupancy::Limits gap = all;
  gap.threads -= blocks * a.threads;
  gap.blocks -= blocks;
  gap.registers -= blocks * a.threads * a.registers;
  gap.shared -= static_cast<size_t>(blocks) * (a.shared + all.shared_reserved);
  return resident(gap, b).blocks;
}

inline void run(lab::Demo &demo) {
  const occupancy::Limits limits = occupancy::device_limits();
  const size_t shared = limits.shared >= (195 << 10) ? 64 << 10 : 48 << 10;
  LAB_CHECK(cudaFuncSetAttribute(
      first, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  const int needs_a = attributes_of(reinterpret_cast<const void *>(first)).numRegs;
  const int needs_b = attributes_of(reinterpret_cast<const void *>(second)).numRegs;
  // A CPU's compiler knows no registers: there these are what nvcc gives them, rounded up to 8.
  const occupancy::Launch a = {
      threads_a, lab::on_emulator() ? 64 : (needs_a + 7) / 8 * 8, shared, 0};
  const occupancy::Launch b = {threads_b, lab::on_emulator() ? 32 : (needs_b + 7) / 8 * 8, 0, 0};
  const occupancy::Resident of_a = resident(limits, a);
  const int in_gap = blocks_in_gap(limits, a, of_a.blocks, b);
  demo.say("first:  %3d threads, %2d registers, %2zu KB: %d blocks on a multiprocessor, by %s\n",
           a.threads,
           a.registers,
           a.shared / 1024,
           of_a.blocks,
           of_a.limit.c_str());
  demo.say(
      "second: %3d threads, %2d registers,  0 KB: %d alone, and in the gaps of the first: %d\n\n",
      b.threads,
      b.registers,
      resident(limits, b).blocks,
      in_gap);
  demo.value("registers_first", a.registers);
  demo.value("registers_second", b.registers);
  demo.value("blocks_first", of_a.blocks);
  demo.value("blocks_in_gap", in_gap);

  const unsigned sms = static_cast<unsigned>(lab::choose_device().sm_count);
  const unsigned blocks_a = sms * static_cast<unsigned>(of_a.blocks), blocks_b = sms;
  const size_t n = demo.timed() ? 1u << 26 : 5003;
  const SmallWords of_first(n, demo.seed()), of_second(n, demo.seed() + 1); // or one would find the
      // other's words in the L2
  lab::DeviceBuffer<unsigned> d_a(blocks_a * threads_a), d_b(blocks_b * threads_b);
  const auto in_a = [&](cudaStream_t stream) {
    first<<<blocks_a, threads_a, shared, stream>>>(
        of_first.d_in.data(), of_first.size(), d_a.data());
    LAB_CHECK_LAUNCH();
  };
  const auto in_b = [&](cudaStream_t stream) {
    second<<<blocks_b, threads_b, 0, stream>>>(of_second.d_in.data(), of_second.size(), d_b.data());
    LAB_CHECK_LAUNCH();
  };
  Streams streams;
  lab::poison(d_a);
  lab::poison(d_b);
  streams.at_once(in_a, in_b);
  demo.expect(
      lab::compare_value("the first's sums", total(d_a), expected_total<sums_a>(of_first.sum)));
  demo.expect(
      lab::compare_value("the second's sums", total(d_b), expected_total<sums_b>(of_second.sum)));
  if (!demo.timed()) {
    demo.say("Both are right when they run at once. A GPU's clock tells what that is worth.\n");
    return;
  }
  const double ms_a = lab::measure([&] { in_a(nullptr); }).median_ms;
  const double ms_b = lab::measure([&] { in_b(nullptr); }).median_ms;
  const double in_turn = lab::measure([&] {
                           in_a(nullptr);
                           in_b(nullptr);
                         }).median_ms;
  const double at_once = lab::measure([&] { streams.at_once(in_a, in_b); }).median_ms;
  demo.say("the first alone    %.3f ms\nthe second alone   %.3f ms\n", ms_a, ms_b);
  demo.say("one after another  %.3f ms\nat the same time   %.3f ms\n", in_turn, at_once);
  demo.value("first_ms", ms_a);
  demo.value("second_ms", ms_b);
  demo.value("in_turn_ms", in_turn);
  demo.value("at_once_ms", at_once);
  demo.value("faster", in_turn / at_once);
}

} // namespace demo_gaps
