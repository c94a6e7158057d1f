/// @file
/// Managed memory, and where its pages lie: prefetches and advice for CUDA 13 and for older ones.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>

using std::size_t;

/// One of the two places where a page can lie.
enum class Place { host, device };

/// True where host and kernels may touch managed memory at the same time, and where pages move one by
/// one. Elsewhere (Windows, old GPUs) a launch takes all of it along, and there is nothing to prefetch.
bool pages_move();

/// Asks for pages [memory, memory + bytes) at `place`. Does nothing for no bytes, or where pages do
/// not move.
void prefetch(const void *memory, size_t bytes, Place place, cudaStream_t stream = nullptr);

/// Gives advice about the pages. Does nothing for no bytes, or where pages do not move.
void advise(const void *memory, size_t bytes, cudaMemoryAdvise advice, Place place);

/// Where a range was sent by its last prefetch: 0 and up a device, cudaCpuDeviceId the host,
/// cudaInvalidDeviceId nowhere.
int last_prefetch(const void *memory, size_t bytes);

/// n doubles of managed memory, owned, full of zeros.
class ManagedBuffer {
public:
  /// @throws lab::Error when it would take more than half of what is free on the device: managed
  ///         memory beyond that would not fail, it would only get slow, for all who use the device
  explicit ManagedBuffer(size_t n);
  ~ManagedBuffer();
  ManagedBuffer(const ManagedBuffer &) = delete;
  ManagedBuffer &operator=(const ManagedBuffer &) = delete;

  double *data() const { return data_; }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(double); }

private:
  double *data_ = nullptr;
  size_t size_;
};
