/// @file
/// Memory that frees itself: device buffers, guarded device buffers, pinned host buffers.
#pragma once

#include "common/check.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace lab {

/// From here on each device buffer has a strip of known bytes behind it. Not under the instruments, which
/// see what is written there themselves, nor where LAB_STRIPS=0 says so, as for compute-sanitizer: it
/// looks for the end of the allocation. A ladder does so when it starts.
void guard_buffers();
/// What has been written behind buffers since the last call, in a sentence; empty if nothing was.
std::string written_behind_buffers();
/// After cudaDeviceReset(): all buffers are gone, and their strips.
void forget_guarded_buffers();

namespace detail {
void *allocate_device(std::size_t bytes);
void *allocate_pinned(std::size_t bytes);
void free_device(void *pointer) noexcept;
/// cudaMemcpy, checked. Of no bytes there is nothing to copy: both pointers may be null then.
void copy(void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind);
void free_pinned(void *pointer) noexcept;
/// True when all `bytes` bytes of device memory at `pointer` hold `value`.
bool device_bytes_are(const void *pointer, std::size_t bytes, unsigned char value);
} // namespace detail

/// n elements of device memory, owned. Not initialised: poison it or upload to it.
template <class T> class DeviceBuffer {
public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t n)
      : data_(static_cast<T *>(detail::allocate_device(n * sizeof(T)))), size_(n) {}
  /// As many elements as `values` has, with these values.
  explicit DeviceBuffer(const std::vector<T> &values) : DeviceBuffer(values.size()) {
    upload(values);
  }
  DeviceBuffer(DeviceBuffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    if (this != &other) {
      detail::free_device(data_);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  ~DeviceBuffer() { detail::free_device(data_); }

  T *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Copies all of `values` to the start of the buffer.
  void upload(const std::vector<T> &values) { upload(values.data(), values.size()); }
  void upload(const T *values, std::size_t n) {
    if (n > size_)
      detail::throw_error("DeviceBuffer::upload: more elements than the buffer holds");
    detail::copy(data_, values, n * sizeof(T), cudaMemcpyHostToDevice);
  }
  /// Copies the whole buffer to the host; waits for the kernels before it.
  std::vector<T> download() const {
    std::vector<T> values(size_);
    detail::copy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost);
    return values;
  }
  /// Copies one element to the host; waits for the kernels before it.
  T at(std::size_t i) const {
    if (!(i < size_))
      detail::throw_error("DeviceBuffer::at: index past the end");
    T value;
    detail::copy(&value, data_ + i, sizeof(T), cudaMemcpyDeviceToHost);
    return value;
  }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

/// Device memory with a strip of known bytes (canaries) on both sides.
///
/// A kernel that reads or writes up to `padding` elements outside stays inside the allocation, so
/// nothing crashes, and intact() tells whether it wrote there. A read finds `canary` bytes.
template <class T> class GuardedBuffer {
public:
  static constexpr unsigned char canary = 0x5A;

  GuardedBuffer(std::size_t n, std::size_t padding)
      : n_(n), padding_(padding), storage_(n + 2 * padding) {
    LAB_CHECK(cudaMemset(storage_.data(), canary, storage_.bytes()));
  }
  T *data() const { return storage_.data() + padding_; }
  std::size_t size() const { return n_; }
  void upload(const std::vector<T> &values) {
    if (values.size() > n_)
      detail::throw_error("GuardedBuffer::upload: more elements than the buffer holds");
    detail::copy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> download() const {
    std::vector<T> values(n_);
    detail::copy(values.data(), data(), n_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
  /// True while nobody has written outside [0, size()).
  bool intact() const {
    const std::size_t bytes = padding_ * sizeof(T);
    return detail::device_bytes_are(storage_.data(), bytes, canary) &&
           detail::device_bytes_are(data() + n_, bytes, canary);
  }

private:
  std::size_t n_;
  std::size_t padding_;
  DeviceBuffer<T> storage_;
};

/// n elements of page-locked host memory, owned: what asynchronous copies need.
template <class T> class PinnedBuffer {
public:
  explicit PinnedBuffer(std::size_t n)
      : data_(static_cast<T *>(detail::allocate_pinned(n * sizeof(T)))), size_(n) {}
  PinnedBuffer(const PinnedBuffer &) = delete;
  PinnedBuffer &operator=(const PinnedBuffer &) = delete;
  ~PinnedBuffer() { detail::free_pinned(data_); }

  T *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  T &operator[](std::size_t i) { return data_[i]; }
  const T &operator[](std::size_t i) const { return data_[i]; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }

private:
  T *data_;
  std::size_t size_;
};

} // namespace lab
