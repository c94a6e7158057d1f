/// @file
/// What the checkers of this chapter share: managed memory, and what CUDA knows about it.
#pragma once

#include "checker/checker.hpp"

/// Whether pages move one by one here, so that there is something to prefetch and to advise.
inline bool pages_move() {
  return lab::device_attribute(cudaDevAttrConcurrentManagedAccess, 0) != 0;
}

/// n elements of managed memory, owned; nobody has touched them.
template <class T> class Managed {
public:
  explicit Managed(std::size_t n) : size_(n) {
    LAB_CHECK(cudaMallocManaged(&data_, n > 0 ? n * sizeof(T) : sizeof(T)));
  }
  /// Written by the host.
  explicit Managed(const std::vector<T> &values) : Managed(checker::goes_in(values).size()) {
    for (std::size_t i = 0; i < size_; ++i)
      data_[i] = values[i];
  }
  ~Managed() { cudaFree(data_); }
  Managed(const Managed &) = delete;
  Managed &operator=(const Managed &) = delete;

  T *data() const { return data_; }
  /// As the host reads them; the device must be done.
  std::vector<T> values() const { return std::vector<T>(data_, data_ + size_); }

  /// What all of it was advised: another answer if that is not the same for all.
  int attribute(cudaMemRangeAttribute which) const { return attribute(which, 0, size_); }
  /// The same of these elements alone. On the CPU advice for a part counts as advice for all.
  int attribute(cudaMemRangeAttribute which, std::size_t first, std::size_t count) const {
    int answer = 0;
    LAB_CHECK(
        cudaMemRangeGetAttribute(&answer, sizeof answer, which, data_ + first, count * sizeof(T)));
    return answer;
  }
  /// Where these elements were sent. 0 and up: a device; cudaCpuDeviceId: the host.
  int last_prefetch(std::size_t first, std::size_t count) const {
    return attribute(cudaMemRangeAttributeLastPrefetchLocation, first, count);
  }

private:
  T *data_ = nullptr;
  std::size_t size_;
};
