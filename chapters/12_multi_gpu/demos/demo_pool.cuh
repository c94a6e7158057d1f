#pragma once

#include "steps/team.hpp"

namespace demo_pool {

// Whether kernels of `device` may reach what this pool gives out.
inline bool reaches(int device, cudaMemPool_t pool) {
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  location.id = device;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  LAB_CHECK(cudaMemPoolGetAccess(&flags, pool, &location));
  return flags == cudaMemAccessFlagsProtReadWrite;
}

// Lets kernels of `device` reach what this pool gives out, or no longer.
inline void let_reach(int device, cudaMemPool_t pool, bool may) {
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = device;
  access.flags = may ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  LAB_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
}

__global__ void add_one(int *to, const int *from) { *to = *from + 1; }

inline void run(lab::Demo &demo) {
  const Team team(2); // with peer access in both directions
  if (!ranks_have_devices()) {
    demo.say("A pool and somebody to share it with: that takes two devices.\n");
    return;
  }
  const int owner = team.device(1), guest = team.device(0);
  cudaMemPool_t pool = nullptr;
  LAB_CHECK(cudaDeviceGetDefaultMemPool(&pool, owner));
  const auto say = [&](const char *when, bool expected) {
    const bool can = reaches(guest, pool);
    demo.say("%-32s device %d reaches the pool of device %d: %s\n",
             when,
             guest,
             owner,
             can ? "yes" : "no");
    demo.expect(can == expected, when);
  };
  say("after cudaDeviceEnablePeerAccess", false);
  let_reach(guest, pool, true);
  say("after cudaMemPoolSetAccess", true);

  int *there = nullptr;
  LAB_CHECK(cudaMallocAsync(&there, sizeof(int), team.stream(1)));
  LAB_CHECK(cudaMemsetAsync(there, 0, sizeof(int), team.stream(1)));
  const lab::DeviceBuffer<int> here = on_device<int>(guest, 1);
  cudaStream_t stream = team.stream(0);
  team.wait(0, 1); // the memory is there when stream 1 has got so far
  add_one<<<1, 1, 0, stream>>>(here.data(), there);
  LAB_CHECK_LAUNCH();
  team.wait(1, 0);
  LAB_CHECK(cudaFreeAsync(there, team.stream(1)));
  synchronize_all();
  demo.say("a kernel of device %d adds 1 to a 0 that lies there: %d\n", guest, here.at(0));
  demo.expect(here.at(0) == 1, "memory of the pool is reached");
  let_reach(guest, pool, false);
}

} // namespace demo_pool
