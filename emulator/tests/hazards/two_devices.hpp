/// \file
/// What the cases about several devices share.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include "streams.hpp"

namespace hazards {

/// On each of two devices a buffer of zeros, a stream that knows nothing of the default stream, an
/// event and a rank; and pinned memory. In the end both are waited for.
struct Pair {
  int *data[2], *pinned;
  cudaStream_t stream[2];
  cudaEvent_t event[2];
  ncclComm_t comm[2];

  Pair() {
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      cudaMalloc(&data[i], all_bytes);
      cudaMemset(data[i], 0, all_bytes);
      cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming);
      cudaDeviceSynchronize();
    }
    cudaMallocHost(&pinned, all_bytes);
    for (int i = 0; i < elements; ++i)
      pinned[i] = i;
    ncclCommInitAll(comm, 2, nullptr);
  }
  ~Pair() {
    wait();
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      cudaDeviceDisablePeerAccess(1 - i);
      cudaFree(data[i]);
      cudaStreamDestroy(stream[i]);
      cudaEventDestroy(event[i]);
      ncclCommDestroy(comm[i]);
    }
    cudaFreeHost(pinned);
    cudaSetDevice(0);
  }
  void give_access() const {
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      cudaDeviceEnablePeerAccess(1 - i, 0);
    }
  }
  void wait() const {
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
  }
};

} // namespace hazards
