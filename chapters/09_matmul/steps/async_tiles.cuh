/// @file
/// Tiles on their way: copies from global to shared memory that go on while threads compute.
#pragma once

#include "problem.hpp"

#include <cuda_pipeline.h>

/// Starts to copy `Bytes` bytes, 4 or 16; the last `zeros` of them are not read, but set to zero.
template <int Bytes> __device__ inline void copy_async(float *to, const float *from, int zeros) {
  __pipeline_memcpy_async(to, from, Bytes, zeros);
}

/// Starts this thread's share of A[row0 .. row0 + ROWS)[k0 .. k0 + DEPTH), into s_A[k][row]: turned
/// over. Elements outside of A become zeros.
template <int ROWS, int DEPTH, int BLOCK, int PITCH>
__device__ inline void copy_A(float (&s_A)[DEPTH][PITCH], const Operands &m, int row0, int k0) {
  const int my_k = threadIdx.x % DEPTH, my_row = threadIdx.x / DEPTH;
  const float *const A = m.A + (row0 + my_row) * m.lda + k0 + my_k;
  if (row0 + ROWS <= m.M && k0 + DEPTH <= m.K) {
#pragma unroll
    for (int row = 0; row < ROWS; row += BLOCK / DEPTH)
      __pipeline_memcpy_async(&s_A[my_k][my_row + row], A + row * m.lda, 4);
    return;
  }
#pragma unroll
  for (int row = 0; row < ROWS; row += BLOCK / DEPTH) {
    const bool inside = row0 + my_row + row < m.M && k0 + my_k < m.K;
    copy_async<4>(&s_A[my_k][my_row + row], inside ? A + row * m.lda : m.A, inside ? 0 : 4);
  }
}

/// Starts this thread's share of B[k0 .. k0 + DEPTH)[col0 .. col0 + COLS), into s_B[k][col]. 16 bytes
/// at a time where rows of B start at multiples of 16 bytes. Elements outside of B become zeros.
template <int COLS, int DEPTH, int BLOCK>
__device__ inline void copy_B(float (&s_B)[DEPTH][COLS], const Operands &m, int k0, int col0) {
  const int my_k = threadIdx.x / (COLS / 4), my_col = threadIdx.x % (COLS / 4) * 4;
  const float *const B = m.B + (k0 + my_k) * m.ldb + col0 + my_col;
  const bool whole_rows = m.ldb % 4 == 0; // and B itself starts at a multiple of 256 bytes
  if (whole_rows && k0 + DEPTH <= m.K && col0 + COLS <= m.N) {
#pragma unroll
    for (int k = 0; k < DEPTH; k += BLOCK / (COLS / 4))
      __pipeline_memcpy_async(&s_B[my_k + k][my_col], B + k * m.ldb, 16);
    return;
  }
#pragma unroll
  for (int k = 0; k < DEPTH; k += BLOCK / (COLS / 4)) {
    const int left = k0 + my_k + k < m.K ? m.N - col0 - my_col : 0; // columns of B from here on
    const int there = left < 0 ? 0 : left < 4 ? left : 4;
    float *const to = &s_B[my_k + k][my_col];
    if (whole_rows)
      copy_async<16>(to, there > 0 ? B + k * m.ldb : m.B, 16 - 4 * there);
    else
      for (int i = 0; i < 4; ++i)
        copy_async<4>(to + i, i < there ? B + k * m.ldb + i : m.B, i < there ? 0 : 4);
  }
}

/// A warp as a rectangle of 4 x 8 lanes: where a lane stands. Neighbours stand below each other, and
/// lanes two apart side by side: see README.md, v10.
__device__ inline int lane_row(int lane) { return lane / 16 * 2 + lane % 2; }
__device__ inline int lane_col(int lane) { return lane / 2 % 8; }

/// Four floats from shared memory, in one load; both addresses are multiples of 16 bytes.
__device__ inline void load4(float *to, const float *from) {
  *reinterpret_cast<float4 *>(to) = *reinterpret_cast<const float4 *>(from);
}
