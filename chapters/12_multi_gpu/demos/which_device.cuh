// A kernel that tells where it runs.
#pragma once

#include "steps/team.hpp"

// Every device has a variable of its own of this name.
static __device__ int this_device;

inline void tell_devices_apart() {
  for (int device : devices_of_ranks()) {
    const OnDevice current(device);
    LAB_CHECK(cudaMemcpyToSymbol(this_device, &device, sizeof device));
  }
}

static __global__ void note_device(int *where) { *where = this_device; }
