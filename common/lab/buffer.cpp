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

// A destructor has nobody to tell: an error here was reported by the call that caused it.
void free_device(void *pointer) noexcept { (void)cudaFree(pointer); }
void free_pinned(void *pointer) noexcept { (void)cudaFreeHost(pointer); }

bool device_bytes_are(const void *pointer, std::size_t bytes, unsigned char value) {
  std::vector<unsigned char> copy(bytes);
  LAB_CHECK(cudaMemcpy(copy.data(), pointer, bytes, cudaMemcpyDeviceToHost));
  for (unsigned char byte : copy)
    if (byte != value)
      return false;
  return true;
}

} // namespace lab::detail
