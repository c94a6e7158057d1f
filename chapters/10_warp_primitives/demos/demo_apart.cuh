// Since Volta every lane has its own place in the program. What that allows, and what it asks for.
#pragma once

#include "problem.hpp"

#include <cuda/atomic>

namespace demo_apart {

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

// Lane 0 waits, in one branch, for what lane 1 does in the other. When all lanes of a warp shared
// one place in the program, this could wait for ever.
__global__ void hand_over(const unsigned *in, unsigned *mail, unsigned *flag, unsigned *out) {
  if (threadIdx.x == 0) {
    while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {
    }
    *out = *mail;
  } else if (threadIdx.x == 1) {
    *mail = in[1];
    Flag(*flag).store(1u, cuda::memory_order_release);
  }
}

// Each lane writes a word that another reads. __syncwarp() makes all lanes of the warp wait, and
// makes what they wrote before it visible to the others.
__global__ void reverse(const unsigned *in, unsigned *out) {
  __shared__ unsigned s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = in[lane];
  __syncwarp();
  out[lane] = s_data[31 - lane];
}

// Which lanes are here? Whoever asks learns who happens to be with him, and no more.
__global__ void who_is_here(unsigned *out) {
  const unsigned lane = threadIdx.x;
  if (lane % 4 == 0)
    out[lane] = __activemask();
  else
    out[lane] = __activemask();
}

inline void run(lab::Demo &demo) {
  std::vector<unsigned> h_in(32), reversed(32);
  lab::fill_random(h_in.data(), 32, demo.seed());
  for (unsigned lane = 0; lane < 32; ++lane)
    reversed[lane] = h_in[31 - lane];
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(32), d_mail(1), d_flag(1);

  lab::poison(d_out);
  LAB_CHECK(cudaMemset(d_flag.data(), 0, d_flag.bytes()));
  hand_over<<<1, 32>>>(d_in.data(), d_mail.data(), d_flag.data(), d_out.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare_value("what lane 1 wrote", d_out.at(0), h_in[1]));
  demo.say("lane 0 waited in one branch until lane 1 had come through the other\n");

  lab::poison(d_out);
  reverse<<<1, 32>>>(d_in.data(), d_out.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(d_out.download(), reversed));
  demo.say("32 numbers reversed through shared memory, with one __syncwarp()\n");

  lab::poison(d_out);
  who_is_here<<<1, 32>>>(d_out.data());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> here = d_out.download();
  bool in_branch = true; // a mask holds its own lane and no lane of the other branch
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned branch = lane % 4 == 0 ? 0x11111111u : ~0x11111111u;
    in_branch = in_branch && (here[lane] & ~branch) == 0 && (here[lane] >> lane & 1);
  }
  demo.expect(in_branch, "__activemask() names lanes of the same branch only");
  demo.say("__activemask() in two branches: %08x and %08x\n", here[0], here[1]);
}

} // namespace demo_apart
