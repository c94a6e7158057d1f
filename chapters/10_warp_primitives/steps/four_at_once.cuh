// Four neighbouring elements as one uint4, also where the input ends among them.
#pragma once

#include "problem.hpp"

// in[i] to in[i + 3]; 0 after the end. i: a multiple of 4.
__device__ inline uint4 load_four(const Value *in, size_t n, size_t i) {
  if (i + 4 <= n)
    return *reinterpret_cast<const uint4 *>(in + i);
  return {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0};
}

__device__ inline void store_four(Value *out, size_t n, size_t i, uint4 v) {
  if (i + 4 <= n) {
    __stcs(reinterpret_cast<uint4 *>(out + i), v);
    return;
  }
  if (i < n)
    out[i] = v.x;
  if (i + 1 < n)
    out[i + 1] = v.y;
  if (i + 2 < n)
    out[i + 2] = v.z;
}

// The scan of the four.
__device__ inline uint4 scan_four(uint4 v) {
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  return v;
}

__device__ inline uint4 add_to_four(uint4 v, Value before) {
  return {v.x + before, v.y + before, v.z + before, v.w + before};
}

// A warp moves 32 groups of four in each turn: v[k] is group `first` + 32 k of this lane. Where the
// last turn ends before n, one test is enough for all, and no load waits for another.
template <unsigned turns>
__device__ inline void load_turns(const Value *in, size_t n, size_t first, uint4 (&v)[turns]) {
  if ((first + (turns - 1) * 32 + 1) * 4 <= n) {
    const uint4 *in4 = reinterpret_cast<const uint4 *>(in);
#pragma unroll
    for (unsigned k = 0; k < turns; ++k)
      v[k] = __ldcs(in4 + first + k * 32); // read once: need not stay in the cache
  } else {
#pragma unroll
    for (unsigned k = 0; k < turns; ++k)
      v[k] = load_four(in, n, (first + k * 32) * 4);
  }
}

template <unsigned turns>
__device__ inline void store_turns(Value *out, size_t n, size_t first, const uint4 (&v)[turns]) {
#pragma unroll
  for (unsigned k = 0; k < turns; ++k)
    store_four(out, n, (first + k * 32) * 4, v[k]);
}
