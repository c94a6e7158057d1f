#include "lab/buffer.hpp"

namespace lab::detail {

void *allocate_device(std::size_t bytes) {
  void *pointer = nullptr;
  LAB_CHECK(cudaMalloc(&pointer, bytes));
  return pointer;
}

void *allocate_pinned(std::size_t bytes) {
  void *pointer = nullptr;
  LAB_CHECK(cudaMallocHost(&pointer, bytes));
  return pointer;
}

void copy(void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes > 0)
    LAB_CHECK(cudaMemcpy(target, source, bytes, kind));
}

// A destructor has nobody to tell: an error here was reported by the call that caused it.
void free_device(void *pointer) noexcept { (void)cudaFree(pointer); }
void free_pinned(void *pointer) noexcept { (void)cudaFreeHost(pointer); }

bool device_bytes_are(const void *pointer, std::size_t bytes, unsigned char value) {
  std::vector<unsigned char> bytes_there(bytes);
  copy(bytes_there.data(), pointer, bytes, cudaMemcpyDeviceToHost);
  for (unsigned char byte : bytes_there)
    if (byte != value)
      return false;
  return true;
}

} // namespace lab::detail
