/// @file
/// A kernel that needs as many registers as one likes: weighted sums, each in a register of its own.
#pragma once

#include "problem.hpp"

#include <utility>

/// The word that a thread writes for the sums of its words: a different weight for each sum. Sums of
/// small whole numbers are exact, so it does not matter who adds what.
template <int SUMS> __host__ __device__ inline unsigned fold(const float (&sums)[SUMS]) {
  unsigned result = 0;
  for (int k = 0; k < SUMS; ++k)
    result = result * 31 + static_cast<unsigned>(sums[k]);
  return result;
}

/// sums[k] = (k + 1) * (in[i] + …) of this thread's words, from 0 to 3 each; out[thread] = fold(sums).
/// A thread waits for each word. BLOCKS: that the compiler has to make room for on a multiprocessor.
template <int SUMS, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    weighted(const unsigned *in, size_t n, unsigned *out) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  float sums[SUMS];
#pragma unroll
  for (int k = 0; k < SUMS; ++k)
    sums[k] = 0;
#pragma unroll 1
  for (size_t i = first; i < n; i += stride) {
    const float x = static_cast<float>(in[i]);
#pragma unroll
    for (int k = 0; k < SUMS; ++k)
      sums[k] = fmaf(x, static_cast<float>(k + 1), sums[k]);
  }
  out[first] = fold(sums);
}

/// Words from 0 to 3 for weighted(), and their sum.
struct SmallWords {
  SmallWords(size_t n, std::uint64_t seed) : sum(0), d_in(n) {
    std::vector<unsigned> words(n);
    for (size_t i = 0; i < n; ++i) {
      words[i] = lab::random_u32(seed, i) >> 30;
      sum += words[i];
    }
    d_in.upload(words);
  }
  size_t size() const { return d_in.size(); }

  unsigned sum; // modulo 2^32
  lab::DeviceBuffer<unsigned> d_in;
};

/// What the outputs of all threads of weighted() must add up to, modulo 2^32.
template <int SUMS> unsigned expected_total(unsigned sum_of_words) {
  unsigned result = 0;
  for (int k = 0; k < SUMS; ++k)
    result = result * 31 + static_cast<unsigned>(k + 1);
  return result * sum_of_words;
}

inline unsigned total(const lab::DeviceBuffer<unsigned> &d_out) {
  unsigned sum = 0;
  for (unsigned word : d_out.download())
    sum += word;
  return sum;
}

/// Registers of a thread and bytes of local memory, as nvcc has compiled the kernel. (The emulator
/// assumes 32 registers, and knows of no local memory: g++ compiles for another machine.)
inline cudaFuncAttributes attributes_of(const void *kernel) {
  cudaFuncAttributes attributes;
  LAB_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes;
}

template <int SUMS, int THREADS, int BLOCKS> const void *weighted_address() {
  return reinterpret_cast<const void *>(weighted<SUMS, THREADS, BLOCKS>);
}
