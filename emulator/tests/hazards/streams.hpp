/// \file
/// What the cases about streams share.
#pragma once

#include <cuda_runtime.h>

#include "hazards.hpp"

namespace hazards {

/// Two streams that know nothing of the default stream, two events, pinned and managed memory; in the end all is
/// waited for.
struct Streams {
  cudaStream_t a, b;
  cudaEvent_t first, second;
  int *pinned; // as many ints as hazards::elements
  int *managed;

  Streams() {
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&first, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&second, cudaEventDisableTiming);
    cudaMallocHost(&pinned, elements * sizeof(int));
    cudaMallocManaged(&managed, elements * sizeof(int));
    for (int i = 0; i < elements; ++i)
      pinned[i] = managed[i] = i;
  }
  ~Streams() {
    cudaDeviceSynchronize();
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaEventDestroy(first);
    cudaEventDestroy(second);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  }
};

constexpr size_t all_bytes = elements * sizeof(int);
constexpr int threads = 256;
constexpr int blocks = elements / threads;

} // namespace hazards
