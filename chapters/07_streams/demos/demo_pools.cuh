#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

#include <string>

namespace demo_pools {

constexpr int rounds = 50;
constexpr size_t bytes = size_t{64} << 20;

// Memory that is needed for one kernel: for the whole device, in the order of the calls.
inline void with_malloc(const Word *in, cudaStream_t stream) {
  Word *scratch;
  LAB_CHECK(cudaMalloc(&scratch, bytes));
  advance<<<1, block, 0, stream>>>(in, scratch, block, 1);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaFree(scratch));
}

// The same, in the order of the stream: the host waits for nothing.
inline void with_pool(const Word *in, cudaStream_t stream) {
  Word *scratch;
  LAB_CHECK(cudaMallocAsync(&scratch, bytes, stream));
  advance<<<1, block, 0, stream>>>(in, scratch, block, 1);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaFreeAsync(scratch, stream));
}

// How much freed memory the pool keeps when the host waits, instead of giving it back.
inline void keep(unsigned long long threshold) {
  cudaMemPool_t pool;
  LAB_CHECK(cudaDeviceGetDefaultMemPool(&pool, lab::choose_device().id));
  LAB_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  if (threshold == 0)
    LAB_CHECK(cudaMemPoolTrimTo(pool, 0));
}

// Microseconds of a round, waiting after each as a program does that needs its result.
template <class Round> double round_us(Round &&round) {
  round(); // the first one warms up
  LAB_CHECK(cudaDeviceSynchronize());
  const lab::HostTimer timer;
  for (int k = 0; k < rounds; ++k)
    round();
  return 1e3 * timer.ms() / rounds;
}

// Milliseconds until `call` returns, while a kernel of some milliseconds runs in another stream.
template <class Call> double beside_kernel_ms(const Batch &p, Call &&call) {
  LAB_CHECK(cudaDeviceSynchronize());
  advance<<<blocks_for(p.n), block, 0, engines().work>>>(
      p.d_in.data(), const_cast<Word *>(p.d_out.data()), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  const lab::HostTimer timer;
  call();
  const double ms = timer.ms();
  LAB_CHECK(cudaDeviceSynchronize());
  return ms;
}

inline void show_times(lab::Demo &demo, const Batch &p, cudaStream_t stream) {
  const auto wait = [&] { LAB_CHECK(cudaStreamSynchronize(stream)); };
  const auto say = [&](const char *what, const char *key, double us) {
    demo.say("  %-52s %9.1f µs\n", what, us);
    demo.value(key, us);
  };
  demo.say("64 MiB for one small kernel, then the host waits:\n\n");
  say("cudaMalloc, cudaFree", "malloc_us", round_us([&] {
        with_malloc(p.d_in.data(), stream);
        wait();
      }));
  keep(0);
  say("cudaMallocAsync, cudaFreeAsync; the pool keeps nothing", "pool_us", round_us([&] {
        with_pool(p.d_in.data(), stream);
        wait();
      }));
  keep(~0ull);
  say("the same; the pool keeps what it has", "kept_us", round_us([&] {
        with_pool(p.d_in.data(), stream);
        wait();
      }));
  demo.say("\nWhile a kernel runs in another stream, the call returns after\n\n");
  void *memory = nullptr, *before = nullptr;
  LAB_CHECK(cudaMalloc(&before, bytes));
  const auto say_ms = [&](const char *what, const char *key, double ms) {
    demo.say("  %-52s %9.3f ms\n", what, ms);
    demo.value(key, ms);
  };
  say_ms("the kernel, alone", "kernel_ms", beside_kernel_ms(p, [] {
           LAB_CHECK(cudaDeviceSynchronize());
         }));
  say_ms("cudaMalloc", "malloc_beside_ms", beside_kernel_ms(p, [&] {
           LAB_CHECK(cudaMalloc(&memory, bytes));
         }));
  LAB_CHECK(cudaFree(memory));
  say_ms("cudaFree", "free_beside_ms", beside_kernel_ms(p, [&] { LAB_CHECK(cudaFree(before)); }));
  say_ms("cudaMallocAsync", "malloc_async_beside_ms", beside_kernel_ms(p, [&] {
           LAB_CHECK(cudaMallocAsync(&memory, bytes, stream));
         }));
  say_ms("cudaFreeAsync", "free_async_beside_ms", beside_kernel_ms(p, [&] {
           LAB_CHECK(cudaFreeAsync(memory, stream));
         }));
  keep(0);
}

inline void run(lab::Demo &demo) {
  Batch p({.n = demo.timed() ? size_t{1} << 25 : 4096});
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  lab::poison(p.d_in);
  LAB_CHECK(cudaDeviceSynchronize());
  Word *scratch, *result; // one after the other in the stream: the second may be the first's memory
  LAB_CHECK(cudaMallocAsync(&scratch, block * sizeof(Word), stream));
  advance<<<1, block, 0, stream>>>(p.d_in.data(), scratch, block, 1);
  LAB_CHECK(cudaMallocAsync(&result, block * sizeof(Word), stream));
  advance<<<1, block, 0, stream>>>(scratch, result, block, 1);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaFreeAsync(scratch,
                          stream)); // the host says so now; the memory is free when its turn comes
  LAB_CHECK(cudaMemcpyAsync(
      p.pinned_out.data(), result, block * sizeof(Word), cudaMemcpyDeviceToHost, stream));
  LAB_CHECK(cudaFreeAsync(result, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  bool right = true;
  for (size_t i = 0; i < block; ++i)
    right = right && p.pinned_out[i] == jump(0xCDCDCDCDCDCDCDCDu, 2);
  demo.expect(right, "two kernels, in memory that was made and freed in the order of a stream");
  demo.say("two kernels, in memory that was made and freed in the order of a stream: right\n\n");
  if (demo.timed())
    show_times(demo, p, stream);
  LAB_CHECK(cudaStreamDestroy(stream));
}

} // namespace demo_pools
