#include "common/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace lab {
namespace {

constexpr std::size_t strip_bytes = 256;
constexpr unsigned char strip_value = 0x5A;

bool guarded = false;

/// The buffers that have a strip, and their bytes without it.
std::map<char *, std::size_t> &guarded_buffers() {
  static std::map<char *, std::size_t> buffers;
  return buffers;
}

} // namespace

void guard_buffers() {
  const char *text = std::getenv("LAB_STRIPS");
  guarded = text == nullptr || std::string(text) != "0";
}

std::string written_behind_buffers() {
  std::string told;
  for (const auto &[begin, bytes] : guarded_buffers()) {
    std::vector<unsigned char> strip(strip_bytes);
    detail::copy(strip.data(), begin + bytes, strip_bytes, cudaMemcpyDeviceToHost);
    const auto first = std::find_if(
        strip.begin(), strip.end(), [](unsigned char byte) { return byte != strip_value; });
    if (first == strip.end())
      continue;
    LAB_CHECK(cudaMemset(begin + bytes, strip_value, strip_bytes));
    if (told.empty())
      told = "something was written behind a buffer of " + std::to_string(bytes) +
             " bytes, from its byte " + std::to_string(bytes + (first - strip.begin())) + " on";
  }
  return told;
}

void forget_guarded_buffers() { guarded_buffers().clear(); }

namespace detail {

void *allocate_device(std::size_t bytes) {
  void *pointer = nullptr;
  const bool strip = guarded && bytes > 0;
  LAB_CHECK(cudaMalloc(&pointer, bytes + (strip ? strip_bytes : 0)));
  if (strip) {
    char *begin = static_cast<char *>(pointer);
    LAB_CHECK(cudaMemset(begin + bytes, strip_value, strip_bytes));
    guarded_buffers()[begin] = bytes;
  }
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
void free_device(void *pointer) noexcept {
  guarded_buffers().erase(static_cast<char *>(pointer));
  (void)cudaFree(pointer);
}
void free_pinned(void *pointer) noexcept { (void)cudaFreeHost(pointer); }

bool device_bytes_are(const void *pointer, std::size_t bytes, unsigned char value) {
  std::vector<unsigned char> bytes_there(bytes);
  copy(bytes_there.data(), pointer, bytes, cudaMemcpyDeviceToHost);
  for (unsigned char byte : bytes_there)
    if (byte != value)
      return false;
  return true;
}

} // namespace detail
} // namespace lab
