// Data and a flag for another device, and a fence for this one only.
#pragma once

#include "problem.hpp"

namespace trap_device_fence {

inline const char *why = "__threadfence() orders two stores for the threads of this device. "
                         "Another device, or the host, may "
                         "see the flag before the data. Between devices: __threadfence_system(), "
                         "and atomics of system scope.";

// Rank 0 stores its vector into the memory of rank 1, and then says so.
__global__ void tell(const float *in, size_t n, float *there, volatile unsigned *flag) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    there[i] = in[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    *flag = 1;
}

// Rank 1 waits until it is told, and uses what has come.
__global__ void listen(const volatile float *came, size_t n, float *out, volatile unsigned *flag) {
  if (threadIdx.x == 0)
    while (*flag != 1) {
    }
  __syncthreads();
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = came[i];
}

inline void run(Vectors &p) {
  draw_order(0); // the emulator runs kernels whole: who tells must come before who listens
  auto *const flag = reinterpret_cast<unsigned *>(p.spare[1].data() + p.n);
  {
    const OnDevice current(p.team.device(1));
    LAB_CHECK(cudaMemset(flag, 0, sizeof *flag));
    LAB_CHECK(cudaDeviceSynchronize());
  }
  {
    const OnDevice current(p.team.device(0));
    tell<<<1, block, 0, p.team.stream(0)>>>(p.in[0].data(), p.n, p.spare[1].data(), flag);
    LAB_CHECK_LAUNCH();
  }
  const OnDevice current(p.team.device(1));
  listen<<<1, block, 0, p.team.stream(1)>>>(p.spare[1].data(), p.n, p.out[1].data(), flag);
  LAB_CHECK_LAUNCH();
  p.team.join();
}

inline lab::Verdict check(Vectors &p) {
  synchronize_all();
  std::vector<float> sent(p.n), got(p.n);
  LAB_CHECK(cudaMemcpy(sent.data(), p.in[0].data(), p.bytes(), cudaMemcpyDeviceToHost));
  LAB_CHECK(cudaMemcpy(got.data(), p.out[1].data(), p.bytes(), cudaMemcpyDeviceToHost));
  return lab::compare(got, sent);
}

} // namespace trap_device_fence
