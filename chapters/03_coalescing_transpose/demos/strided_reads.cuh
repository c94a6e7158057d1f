/// @file
/// A kernel that reads at any stride and from any offset, and writes nothing.
#pragma once

#include "ladder/chapter.hpp"

#include <vector>

namespace strided_reads {

__device__ inline unsigned fold(unsigned v) { return v; }
__device__ inline unsigned fold(uint2 v) { return v.x ^ v.y; }
__device__ inline unsigned fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

/// Read number i, of `reads`, is of element offset + i * stride; four are in flight per thread.
///
/// `result` gets the xor of all that was read. In timed runs it is null, which the compiler cannot
/// know: the loads stay.
template <class T>
__global__ void read(const T *in, size_t reads, size_t stride, size_t offset, unsigned *result) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  in += offset;
  unsigned bits = 0;
  for (; i + 3 * threads < reads; i += 4 * threads) {
    const T a = in[i * stride];
    const T b = in[(i + threads) * stride];
    const T c = in[(i + 2 * threads) * stride];
    const T d = in[(i + 3 * threads) * stride];
    bits ^= fold(a) ^ fold(b) ^ fold(c) ^ fold(d);
  }
  for (; i < reads; i += threads)
    bits ^= fold(in[i * stride]);
  if (result)
    atomicXor(result, bits);
}

/// Memory to read from, with words that are known on the host.
class Field {
public:
  explicit Field(std::uint64_t seed) : words_(1 << 16), d_words_(words_.size()), d_result_(1) {
    lab::fill_random(words_.data(), words_.size(), seed);
    d_words_.upload(words_);
  }

  /// Reads as much as there is at this stride, and compares with the host's loop.
  template <class T> lab::Verdict check(size_t stride, size_t offset) {
    const size_t width = sizeof(T) / sizeof(unsigned);
    const size_t reads = reads_in(words_.size() / width, stride, offset);
    unsigned expected = 0;
    for (size_t i = 0; i < reads; ++i)
      for (size_t word = 0; word < width; ++word)
        expected ^= words_[(offset + i * stride) * width + word];
    LAB_CHECK(cudaMemset(d_result_.data(), 0, sizeof(unsigned)));
    launch<T>(d_words_.data(), reads, stride, offset, d_result_.data());
    return lab::compare_value("xor of what was read", d_result_.at(0), expected);
  }

  /// Useful bytes, 10^9 a second, of reads all over a large buffer; 0 on the emulator.
  template <class T> double gbps(size_t stride, size_t offset) {
    if (lab::on_emulator())
      return 0.0;
    if (d_large_.size() == 0) {
      d_large_ = lab::DeviceBuffer<unsigned char>(large_bytes());
      LAB_CHECK(cudaMemset(d_large_.data(), 0, d_large_.bytes()));
    }
    const size_t reads = reads_in(d_large_.size() / sizeof(T), stride, offset);
    const lab::Timing timing =
        lab::measure([&] { launch<T>(d_large_.data(), reads, stride, offset, nullptr); },
                     {.reps = 11, .warm_up = 2, .cold_l2 = true});
    return static_cast<double>(reads * sizeof(T)) / timing.median_ms * 1e-6;
  }

private:
  static size_t reads_in(size_t elements, size_t stride, size_t offset) {
    return (elements - offset - 1) / stride + 1;
  }

  /// So much that at 8192 bytes from read to read the sectors still exceed a cache's size.
  static size_t large_bytes() {
    size_t free_bytes = 0, total_bytes = 0;
    LAB_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const size_t wanted = size_t{8} << 30;
    return (wanted < free_bytes / 4 ? wanted : free_bytes / 4) / 256 * 256;
  }

  template <class T>
  void launch(const void *in, size_t reads, size_t stride, size_t offset, unsigned *result) {
    const size_t fill = static_cast<size_t>(lab::choose_device().resident_blocks(256));
    const size_t useful = (reads + 255) / 256;
    read<<<static_cast<unsigned>(useful < fill ? useful : fill), 256>>>(
        static_cast<const T *>(in), reads, stride, offset, result);
    LAB_CHECK_LAUNCH();
  }

  std::vector<unsigned> words_;
  lab::DeviceBuffer<unsigned> d_words_, d_result_;
  lab::DeviceBuffer<unsigned char> d_large_;
};

} // namespace strided_reads
