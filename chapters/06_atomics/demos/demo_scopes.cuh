// One block hands a value to another: data first, then a flag that says it is there.
#pragma once

#include "problem.hpp"

#include <cuda/atomic>

namespace demo_scopes {

using DeviceFlag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Block 0 writes and raises the flag, block 1 waits for it: so both have to run at the same time,
// which only a cooperative launch promises. Release: what I wrote before is there when the flag is.
// Acquire: what I read after the flag is what was there.
__global__ void hand_over(const unsigned *in, unsigned *mail, unsigned *flag, unsigned *out) {
  if (blockIdx.x == 0) {
    mail[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); // the whole block has written
    if (threadIdx.x == 0)
      DeviceFlag(*flag).store(1u, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (DeviceFlag(*flag).load(cuda::memory_order_acquire) == 0u) {
      }
    __syncthreads(); // nobody reads before thread 0 has seen the flag
    out[threadIdx.x] = mail[threadIdx.x];
  }
}

// Threads of one block that count together need no more than the block's scope.
__global__ void count_in_block(const unsigned *in, unsigned *count) {
  __shared__ unsigned s_count;
  if (threadIdx.x == 0)
    s_count = 0;
  __syncthreads();
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> counter(s_count);
  if (in[threadIdx.x] % 2 == 0)
    counter.fetch_add(1u, cuda::memory_order_relaxed); // only the number matters, no other data
  __syncthreads();
  if (threadIdx.x == 0)
    *count = s_count;
}

inline void run(lab::Demo &demo) {
  constexpr unsigned n = 64;
  std::vector<unsigned> h_in(n);
  lab::fill_random(h_in.data(), n, demo.seed());
  unsigned even = 0;
  for (unsigned value : h_in)
    even += value % 2 == 0;
  lab::DeviceBuffer<unsigned> d_in(h_in), d_mail(n), d_flag(1), d_out(n), d_count(1);
  LAB_CHECK(cudaMemset(d_flag.data(), 0, sizeof(unsigned)));
  lab::poison(d_out);
  lab::poison(d_count);
  const unsigned *in = d_in.data();
  unsigned *mail = d_mail.data(), *flag = d_flag.data(), *out = d_out.data();
  void *arguments[] = {&in, &mail, &flag, &out};
  LAB_CHECK(cudaLaunchCooperativeKernel(hand_over, 2, n, arguments));
  LAB_CHECK_LAUNCH();
  count_in_block<<<1, n>>>(d_in.data(), d_count.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(d_out.download(), h_in));
  demo.expect(lab::compare_value("even numbers", d_count.at(0), even));
  demo.say("block 1 got the %u numbers of block 0: device scope, release and acquire\n", n);
  demo.say("%u of them are even: block scope, relaxed\n", even);
}

} // namespace demo_scopes
