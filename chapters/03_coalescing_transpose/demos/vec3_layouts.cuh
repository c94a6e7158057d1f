/// @file
/// Vectors of three floats, twice as long as before: one kernel for each way to store them.
#pragma once

#include "ladder/chapter.hpp"

namespace vec3_layouts {

constexpr unsigned BLOCK = 256;

struct Vec3 {
  float x, y, z;
};

/// An array of structures: neighbours are 12 bytes apart, and read in three requests.
__global__ void scale_structures(const Vec3 *in, Vec3 *out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) {
    const float x = in[i].x, y = in[i].y, z = in[i].z; // all loads before the first store
    out[i].x = 2.0f * x;
    out[i].y = 2.0f * y;
    out[i].z = 2.0f * z;
  }
}

/// The same with a fourth float, which nobody uses: float4 is aligned to 16 bytes, so it is one
/// request. A structure of one's own is with `struct alignas(16)`.
__global__ void scale_aligned(const float4 *in, float4 *out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) {
    const float4 v = in[i];
    out[i] = make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 0.0f);
  }
}

/// A structure of arrays: all x, then all y, then all z.
__global__ void scale_arrays(const float *in, float *out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) {
    const float x = in[i], y = in[n + i], z = in[2 * n + i];
    out[i] = 2.0f * x;
    out[n + i] = 2.0f * y;
    out[2 * n + i] = 2.0f * z;
  }
}

/// An array of structures that a block fetches word by word, and takes apart in shared memory.
__global__ void scale_staged(const float *in, float *out, size_t n) {
  __shared__ float s_words[3 * BLOCK];
  const size_t first = static_cast<size_t>(blockIdx.x) * 3 * BLOCK; // this block's first word
  float v[3];
#pragma unroll
  for (unsigned j = 0; j < 3; ++j) {
    const size_t word = first + j * BLOCK + threadIdx.x;
    v[j] = word < 3 * n ? in[word] : 0.0f;
  }
#pragma unroll
  for (unsigned j = 0; j < 3; ++j)
    s_words[j * BLOCK + threadIdx.x] = v[j];
  __syncthreads();

  float *const s_vector = &s_words[3 * threadIdx.x]; // stride 3: no two lanes in one bank
  s_vector[0] *= 2.0f;
  s_vector[1] *= 2.0f;
  s_vector[2] *= 2.0f;
  __syncthreads();

#pragma unroll
  for (unsigned j = 0; j < 3; ++j) {
    const size_t word = first + j * BLOCK + threadIdx.x;
    if (word < 3 * n)
      out[word] = s_words[j * BLOCK + threadIdx.x];
  }
}

} // namespace vec3_layouts
