// Shared memory: 32 banks of 4 bytes. Different words of one bank wait for each other, lanes that
// want the same word are served together. 8 bytes a lane go in two rounds, 16 in four; but see
// pairs_float4_all and those after it.
#include "golden.hpp"

namespace golden {
namespace {

// Fills `count` words of the block's shared memory from 32 threads: rows of 32, no conflict.
__device__ void fill(float *s_data, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += 32)
    s_data[i] = static_cast<float>(i);
  __syncthreads();
}
constexpr Expected filled(unsigned count) { return alike(What::shared_store, count / 32, 32, 1); }

// ----------------------------------------------------------------------------------------- strides

// STRIDE words from lane to lane: as many lanes share a bank as the greatest common divisor of the
// stride and 32 says.
template <unsigned STRIDE> __global__ void banks(float *out) {
  __shared__ float s_data[32 * STRIDE];
  fill(s_data, 32 * STRIDE);
  out[threadIdx.x] = s_data[threadIdx.x * STRIDE];
}
std::vector<Expected> expect_banks(unsigned stride, unsigned ways) {
  return {filled(32 * stride), {What::shared_load, 1, 32, ways, ways}, results};
}

GOLDEN(bank_stride_1, "1-way", expect_banks(1, 1), 1) { banks<1><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_2, "2-way", expect_banks(2, 2), 1) { banks<2><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_3, "odd: 1-way", expect_banks(3, 1), 1) { banks<3><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_4, "4-way", expect_banks(4, 4), 1) { banks<4><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_5, "odd: 1-way", expect_banks(5, 1), 1) { banks<5><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_6, "2-way", expect_banks(6, 2), 1) { banks<6><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_8, "8-way", expect_banks(8, 8), 1) { banks<8><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_12, "4-way", expect_banks(12, 4), 1) { banks<12><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_16, "16-way", expect_banks(16, 16), 1) { banks<16><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_32, "32-way", expect_banks(32, 32), 1) { banks<32><<<1, 32>>>(m.out); }
GOLDEN(bank_stride_33, "1-way", expect_banks(33, 1), 1) { banks<33><<<1, 32>>>(m.out); }

// ---------------------------------------------------------------------------------------- patterns

__global__ void gathered(float *out, unsigned pattern) {
  __shared__ float s_data[1024];
  fill(s_data, 1024);
  const unsigned lane = threadIdx.x;
  unsigned i = 0; // pattern 0: all lanes want one word
  if (pattern == 1)
    i = lane / 16 * 32; // two words of one bank
  if (pattern == 2)
    i = lane / 2; // pairs: sixteen words of sixteen banks
  if (pattern == 3)
    i = lane ^ 31; // another order
  if (pattern == 4)
    i = lane * lane % 64; // 12 words; banks 0, 1, 4, 9, 16, 17 and 25 are hit by two words at most
  out[lane] = s_data[i];
}
std::vector<Expected> expect_gathered(unsigned ways) {
  return {filled(1024), {What::shared_load, 1, 32, ways, ways}, results};
}

GOLDEN(shared_broadcast, "one word for all", expect_gathered(1), 1) {
  gathered<<<1, 32>>>(m.out, 0);
}
GOLDEN(shared_two_words, "two words of a bank", expect_gathered(2), 1) {
  gathered<<<1, 32>>>(m.out, 1);
}
GOLDEN(shared_pairs, "two lanes for each word", expect_gathered(1), 1) {
  gathered<<<1, 32>>>(m.out, 2);
}
GOLDEN(shared_reversed, "order is free", expect_gathered(1), 1) { gathered<<<1, 32>>>(m.out, 3); }
// The squares modulo 64 are 0 1 4 9 16 17 25 33 36 41 49 57; 33, 36, 41, 49 and 57 lie in the banks
// of 1, 4, 9, 17 and 25.
GOLDEN(shared_squares, "a scattered gather", expect_gathered(2), 1) {
  gathered<<<1, 32>>>(m.out, 4);
}

// --------------------------------------------------------------------------------- a tile's column

// 32 warps write rows of 32 words and read columns.
template <unsigned WIDTH> __global__ void tile(const float *in, float *out) {
  __shared__ float s_tile[32][WIDTH];
  s_tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s_tile[threadIdx.x][threadIdx.y];
}
std::vector<Expected> expect_tile(unsigned ways) {
  return {alike(What::global_load, 32, 32, 4),
          alike(What::shared_store, 32, 32, 1),
          alike(What::shared_load, 32, 32, ways, ways),
          alike(What::global_store, 32, 32, 4)};
}
GOLDEN(tile_32, "a column of [32][32] lies in one bank", expect_tile(32), 1) {
  tile<32><<<1, dim3(32, 32)>>>(m.in, m.out);
}
GOLDEN(tile_33, "a column of [32][33] lies in 32 banks", expect_tile(1), 1) {
  tile<33><<<1, dim3(32, 32)>>>(m.in, m.out);
}

__global__ void swizzled(const float *in, float *out) {
  __shared__ float s_tile[32][32];
  s_tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s_tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}
GOLDEN(tile_swizzled, "rows permuted by XOR", expect_tile(1), 1) {
  swizzled<<<1, dim3(32, 32)>>>(m.in, m.out);
}

// ------------------------------------------------------------------------- types of other widths

// Written by each lane at [lane], and read back.
template <class T> __global__ void wide(const T *in, T *out) {
  __shared__ T s_data[32];
  s_data[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s_data[threadIdx.x];
}
template <class T> void launch_wide(const Memory &m) {
  wide<T><<<1, 32>>>(m.in_as<T>(), m.out_as<T>());
}
template <class T> std::vector<Expected> expect_wide(unsigned rounds) {
  return {alike(What::global_load, 1, 32, sizeof(T)),
          {What::shared_store, 1, 32, rounds},
          {What::shared_load, 1, 32, rounds},
          alike(What::global_store, 1, 32, sizeof(T))};
}
GOLDEN(shared_char, "four lanes for each word", expect_wide<char>(1), 1) { launch_wide<char>(m); }
GOLDEN(shared_double, "two rounds", expect_wide<double>(2), 1) { launch_wide<double>(m); }
GOLDEN(shared_float4, "four rounds", expect_wide<float4>(4), 1) { launch_wide<float4>(m); }
GOLDEN(shared_double2, "four rounds", expect_wide<double2>(4), 1) { launch_wide<double2>(m); }

// Doubles two apart: the 16 lanes of a half want 16 doubles among 32, at 4 words' distance: two
// words of each bank that they use.
__global__ void doubles_apart(double *out) {
  __shared__ double s_data[64];
  s_data[threadIdx.x] = threadIdx.x;
  s_data[threadIdx.x + 32] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s_data[2 * threadIdx.x];
}
GOLDEN(shared_double_stride_2,
       "every second double",
       {alike(What::shared_store, 2, 32, 2),
        {What::shared_load, 1, 32, 4, 2},
        alike(What::global_store, 1, 32, 8)},
       1) {
  doubles_apart<<<1, 32>>>(m.out_as<double>());
}

// -------------------------------------------------------------- loads that do two rounds in one

// What a load of 8 or 16 bytes a lane costs when lanes want the same. Two rounds become one where
// each two lanes whose numbers differ in the lowest bit, or each two that differ in the next, have
// the same address, and nobody waits for a bank. A store never does that.
__device__ unsigned wanted(unsigned lane, unsigned pattern) {
  return pattern == 0   ? 0 // all the same
         : pattern == 1 ? lane / 8 // a quarter of the warp the same
         : pattern == 2 ? lane / 2 // neighbours the same
         : pattern == 3 ? lane % 8 // lanes eight apart: no pair, nothing is gained
         : pattern == 4 ? lane % 2 + lane / 4 * 2 // lanes two apart
                        : lane / 2 * 8; // neighbours, but the pairs meet in banks
}
template <class T> __global__ void alike_in_pairs(const T *in, T *out, unsigned pattern) {
  __shared__ T s_data[128];
  for (unsigned i = threadIdx.x; i < 128; i += 32)
    s_data[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = s_data[wanted(threadIdx.x, pattern)];
}
template <class T> void launch_pairs(const Memory &m, unsigned pattern) {
  alike_in_pairs<<<1, 32>>>(m.in_as<T>(), m.out_as<T>(), pattern);
}
template <class T> std::vector<Expected> expect_pairs(unsigned wavefronts, unsigned ways = 1) {
  return {alike(What::global_load, 4, 32, sizeof(T)),
          alike(What::shared_store, 4, 32, sizeof(T) / 4),
          {What::shared_load, 1, 32, wavefronts, ways},
          alike(What::global_store, 1, 32, sizeof(T))};
}
GOLDEN(pairs_float4_all, "a half of the warp at a time", expect_pairs<float4>(2), 1) {
  launch_pairs<float4>(m, 0);
}
GOLDEN(pairs_float4_quarters, "two quarters at a time", expect_pairs<float4>(2), 1) {
  launch_pairs<float4>(m, 1);
}
GOLDEN(pairs_float4_neighbours, "two quarters at a time", expect_pairs<float4>(2), 1) {
  launch_pairs<float4>(m, 2);
}
GOLDEN(pairs_float4_eight_apart,
       "four rounds, though only eight places are wanted",
       expect_pairs<float4>(4),
       1) {
  launch_pairs<float4>(m, 3);
}
GOLDEN(pairs_float4_two_apart, "two quarters at a time", expect_pairs<float4>(2), 1) {
  launch_pairs<float4>(m, 4);
}
// A quarter's four places are 32 words apart: 4 words of each of four banks, in four rounds.
GOLDEN(pairs_float4_conflict, "four rounds, each 4-way", expect_pairs<float4>(16, 4), 1) {
  launch_pairs<float4>(m, 5);
}
GOLDEN(pairs_double_all, "one round", expect_pairs<double>(1), 1) { launch_pairs<double>(m, 0); }
GOLDEN(pairs_double_neighbours, "one round", expect_pairs<double>(1), 1) {
  launch_pairs<double>(m, 2);
}
GOLDEN(pairs_double_eight_apart, "two rounds", expect_pairs<double>(2), 1) {
  launch_pairs<double>(m, 3);
}

// A byte from every row of 128 bytes: 32 words of one bank.
__global__ void byte_column(char *out) {
  __shared__ char s_data[32][128];
  for (unsigned row = 0; row < 32; ++row)
    s_data[row][threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s_data[threadIdx.x][5];
}
GOLDEN(shared_byte_column,
       "bytes of one column",
       {alike(What::shared_store, 32, 32, 1),
        {What::shared_load, 1, 32, 32, 32},
        alike(What::global_store, 1, 32, 1)},
       1) {
  byte_column<<<1, 32>>>(m.out_as<char>());
}

// ------------------------------------------------------------------------------------- reductions

// How a block of 256 sums 256 values, in the first three ways of chapter 05: round k adds what lies
// k apart.
template <unsigned WAY> __global__ void reduced(const float *in, float *out) {
  extern __shared__ float s_sum[];
  const unsigned tid = threadIdx.x, n = blockDim.x;
  s_sum[tid] = in[tid];
  __syncthreads();
  for (unsigned step = 1; step < n; step *= 2) {
    if (WAY == 0 && tid % (2 * step) == 0)
      s_sum[tid] += s_sum[tid + step];
    if (WAY == 1 && 2 * step * tid < n)
      s_sum[2 * step * tid] += s_sum[2 * step * tid + step];
    if (WAY == 2 && tid < n / 2 / step)
      s_sum[tid] += s_sum[tid + n / 2 / step];
    __syncthreads();
  }
  if (tid == 0)
    *out = s_sum[0];
}
// Each addition is two loads and a store. 255 lanes add in all; the first store and the last load
// come on top.
std::vector<Expected> expect_reduced(unsigned requests, unsigned wavefronts, unsigned ways) {
  return {alike(What::global_load, 8, 32, 4),
          {What::shared_store, 8 + requests, 256 + 255, 8 + wavefronts, ways},
          {What::shared_load, 2 * requests + 1, 2 * 255 + 1, 2 * wavefronts + 1, ways},
          {What::global_store, 1, 1, 1}};
}
// Modulo test: all 8 warps take part while a warp has a lane at work (5 rounds), then 4, 2, 1:
// 47 requests, 255 / 47 = 5.4 lanes each.
GOLDEN(reduce_modulo, "5.4 lanes", expect_reduced(47, 47, 1), 9) {
  reduced<0><<<1, 256, 256 * sizeof(float)>>>(m.in, m.out);
}
// Contiguous threads, strided words: 2-way over 4 warps, 4-way over 2, then 8-way in one warp until
// fewer than 8 lanes are left: 8 + 8 + 8 + 8 + 8 + 4 + 2 + 1 = 47 in 12 requests, 3.92 each.
GOLDEN(reduce_strided, "8-way", expect_reduced(12, 47, 8), 9) {
  reduced<1><<<1, 256, 256 * sizeof(float)>>>(m.in, m.out);
}
// Sequential: the same 12 requests, no conflict.
GOLDEN(reduce_sequential, "1-way", expect_reduced(12, 12, 1), 9) {
  reduced<2><<<1, 256, 256 * sizeof(float)>>>(m.in, m.out);
}

} // namespace
} // namespace golden
