// Inline PTX, and the products of matrices that warps compute: by PTX and by mma.h.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <mma.h>

#include <bitset>
#include <cstdint>
#include <vector>

#include "conformance.cuh"

namespace {

using conformance::DeviceArray;
namespace wmma = nvcuda::wmma;

__global__ void compute(unsigned *out, float *floats) {
  const unsigned a = 0xdeadbeef, b = 0x12345678, c = 0x0f0f0f0f;
  unsigned d, e;
  asm volatile("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  out[0] = d;
  asm("bfe.u32 %0, %1, 8, 8;" : "=r"(d) : "r"(a));
  out[1] = d;
  asm("bfi.b32 %0, %1, %2, 4, 12;" : "=r"(d) : "r"(a), "r"(b));
  out[2] = d;
  asm("prmt.b32 %0, %1, %2, 0x0541;" : "=r"(d) : "r"(a), "r"(b));
  out[3] = d;
  asm("{\n\t"
      ".reg .pred p;\n\t"
      "setp.lt.u32 p, %1, %2; // no\n\t"
      "@p mov.u32 %0, 7;\n\t"
      "@!p mov.u32 %0, 8;\n\t"
      "}"
      : "=r"(d)
      : "r"(a), "r"(b));
  out[4] = d;
  unsigned long long wide;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(a), "r"(b), "l"(5ull));
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(d), "=r"(e) : "l"(wide));
  out[5] = d;
  out[6] = e;
  asm volatile("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;"
               : "=r"(d), "=r"(e)
               : "r"(~0u), "r"(2u));
  out[7] = 10 * d + e;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(8));
  out[8] = d;
  asm("bfind.u32 %0, %1;" : "=r"(d) : "r"(b));
  out[9] = d;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
      : "=r"(d)
      : "r"(0x01020304u), "r"(0x04030201u), "r"(1u));
  out[10] = d;
  int rounded;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(rounded) : "f"(2.5f));
  out[11] = static_cast<unsigned>(rounded);
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(1.0f), "f"(2.0f));
  out[12] = d;
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(out + 13), "r"(3u) : "memory");
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;"
               :
               : "l"(out + 13), "r"(old + 40)
               : "memory");
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(floats[0]) : "f"(2.0f), "f"(3.0f), "f"(0.5f));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(floats[1]) : "f"(3.0f));
}

TEST_CASE("instructions on registers, predicates, atomics") {
  const DeviceArray<unsigned> out(std::vector<unsigned>(14, 1));
  const DeviceArray<float> floats(2);
  compute<<<1, 1>>>(out.data(), floats.data());
  CHECK(out.to_host() == std::vector<unsigned>{0xc396e798,
                                               0xbe,
                                               0x1234eef8,
                                               0xef5678be,
                                               8,
                                               0x5621ca0d,
                                               0x0fd5bdee,
                                               11,
                                               0x345678de,
                                               28,
                                               9,
                                               2,
                                               0x3c004000,
                                               41});
  CHECK(floats.to_host() == std::vector<float>{6.5f, 8});
}

// Lanes load, exchange and store as the instructions say; out[lane] of each.
__global__ void meet(const float4 *in, float *loaded, unsigned *out) {
  __shared__ __align__(16) float copied[32];
  __shared__ __align__(16) unsigned short matrix[64];
  const unsigned lane = threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4+16];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in));
  asm volatile("st.global.cs.f32 [%0], %1;" : : "l"(loaded + lane), "f"(v.x + v.w) : "memory");
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(copied + lane));
  const float *const from = reinterpret_cast<const float *>(in) + 31 - lane;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(from));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group %0;" : : "n"(0));
  for (unsigned i = lane; i < 64; i += 32)
    matrix[i] = static_cast<unsigned short>(i / 8 * 16 + i % 8); // row and column
  asm volatile("bar.sync 0;" : : : "memory");
  unsigned plain, turned, other, ballot, number;
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(matrix + lane % 8 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(plain) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(turned)
               : "r"(row));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(other) : "r"(lane));
  asm volatile("{\n\t"
               ".reg .pred odd;\n\t"
               "setp.ne.u32 odd, %1, 0;\n\t"
               "vote.sync.ballot.b32 %0, odd, 0xffffffff;\n\t"
               "}"
               : "=r"(ballot)
               : "r"(lane % 2));
  asm("mov.u32 %0, %%laneid;" : "=r"(number));
  unsigned sum;
  int least;
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(lane));
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(least) : "r"(int(lane) - 7));
  asm volatile("" : "+r"(sum) : "r"(least), "n"(4) : "memory");
  out[lane] = plain;
  out[32 + lane] = turned;
  out[64 + lane] = other == (lane ^ 1) && ballot == 0xaaaaaaaau && number == lane &&
                   copied[lane] == *from && sum == 31 * 32 / 2 && least == -7;
}

TEST_CASE("loads, copies, exchanges and matrices of 8 x 8") {
  std::vector<float4> in(32);
  for (int i = 0; i < 32; ++i)
    in[static_cast<size_t>(i)] = {4.0f * i, 4.0f * i + 1, 4.0f * i + 2, 4.0f * i + 3};
  const DeviceArray<float4> d_in(in);
  const DeviceArray<float> loaded(32);
  const DeviceArray<unsigned> out(96);
  meet<<<1, 32>>>(d_in.data(), loaded.data(), out.data());
  CHECK(loaded.to_host() == std::vector<float>(32, 11));
  const std::vector<unsigned> got = out.to_host();
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4, column = lane % 4 * 2;
    CHECK(got[lane] == ((row * 16 + column + 1) << 16 | (row * 16 + column)));
    CHECK(got[32 + lane] == (((column + 1) * 16 + row) << 16 | (column * 16 + row)));
    CHECK(got[64 + lane] == 1);
  }
}

// c = 2 (a b + 1)
template <int M, int N, int K, class T, class Memory, class C, class LayoutB>
__global__ void multiply(const Memory *a, const Memory *b, C *c) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, M, N, K, C> sums;
  wmma::fill_fragment(sums, C(1));
  wmma::load_matrix_sync(left, a, K);
  wmma::load_matrix_sync(right, b, std::is_same_v<LayoutB, wmma::row_major> ? N : K);
  wmma::mma_sync(sums, left, right, sums);
  for (int i = 0; i < sums.num_elements; ++i)
    sums.x[i] = sums.x[i] + sums.x[i];
  wmma::store_matrix_sync(c, sums, N, wmma::mem_row_major);
}

template <int M, int N, int K, class T, class Memory, class C, class LayoutB> int wrong_products() {
  std::vector<Memory> a(M * K), b(K * N);
  std::vector<int> left(M * K), right(K * N);
  for (int i = 0; i < M * K; ++i)
    a[i] = static_cast<Memory>(static_cast<float>(left[i] = i % 7 + 1));
  for (int i = 0; i < K * N; ++i)
    b[i] = static_cast<Memory>(static_cast<float>(right[i] = i % 5 + 2));
  const DeviceArray<Memory> d_a(a), d_b(b);
  const DeviceArray<C> d_c(M * N);
  multiply<M, N, K, T, Memory, C, LayoutB><<<1, 32>>>(d_a.data(), d_b.data(), d_c.data());
  const std::vector<C> c = d_c.to_host();
  int wrong = 0;
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column) {
      int sum = 1;
      for (int k = 0; k < K; ++k)
        sum += left[row * K + k] *
               right[std::is_same_v<LayoutB, wmma::row_major> ? k * N + column : column * K + k];
      wrong += static_cast<float>(c[row * N + column]) != static_cast<float>(2 * sum);
    }
  return wrong;
}

TEST_CASE("fragments of mma.h: types and sizes") {
  CHECK(wrong_products<16, 16, 16, __half, __half, float, wmma::row_major>() == 0);
  CHECK(wrong_products<16, 16, 16, __half, __half, __half, wmma::col_major>() == 0);
  CHECK(wrong_products<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, wmma::col_major>() == 0);
  CHECK(wrong_products<8, 32, 16, signed char, signed char, int, wmma::row_major>() == 0);
  CHECK(wrong_products<16, 16, 8, wmma::precision::tf32, float, float, wmma::row_major>() == 0);
  CHECK(wrong_products<8, 8, 4, double, double, double, wmma::col_major>() == 0);
}

// Rows of a, of four words, times columns of b.
template <int K, class T> __global__ void multiply_packed(const unsigned *words, int *c) {
  wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, K, int> sums;
  wmma::fill_fragment(sums, 1);
  wmma::load_matrix_sync(left, static_cast<const void *>(words), K);
  wmma::load_matrix_sync(right, static_cast<const void *>(words + 32), K);
  if constexpr (K == 128)
    wmma::bmma_sync(sums, left, right, sums);
  else
    wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(c, sums, 8, wmma::mem_row_major);
}

template <int K, class T> int wrong_packed_products(int (*product)(unsigned, unsigned)) {
  std::vector<unsigned> words(64);
  for (unsigned i = 0; i < 64; ++i)
    words[i] = (i + 1) * 2654435761u;
  const DeviceArray<unsigned> d_words(words);
  const DeviceArray<int> d_c(64);
  multiply_packed<K, T><<<1, 32>>>(d_words.data(), d_c.data());
  const std::vector<int> c = d_c.to_host();
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    int sum = 1;
    for (int word = 0; word < 4; ++word)
      sum += product(words[i / 8 * 4 + word], words[32 + i % 8 * 4 + word]);
    wrong += c[i] != sum;
  }
  return wrong;
}

TEST_CASE("fragments of elements that are smaller than a byte") {
  namespace small = wmma::experimental::precision;
  CHECK(wrong_packed_products<128, small::b1>([](unsigned a, unsigned b) {
          return static_cast<int>(std::bitset<32>(a ^ b).count());
        }) == 0);
  CHECK(wrong_packed_products<32, small::s4>([](unsigned a, unsigned b) {
          int sum = 0;
          for (int i = 0; i < 32; i += 4) // the shift brings the sign
            sum +=
                (static_cast<int>(a << (28 - i)) >> 28) * (static_cast<int>(b << (28 - i)) >> 28);
          return sum;
        }) == 0);
}

// 16 x 8 = 16 x 16 times 16 x 8, of which the transpose lies in b.
__global__ void multiply_by_ptx(const __half *a, const __half *b, float *c) {
  const unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4 * 2;
  const auto pair = [](const __half *at) { return *reinterpret_cast<const unsigned *>(at); };
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(pair(a + row * 16 + column)),
                 "r"(pair(a + (row + 8) * 16 + column)),
                 "r"(pair(a + row * 16 + column + 8)),
                 "r"(pair(a + (row + 8) * 16 + column + 8)),
                 "r"(pair(b + row * 16 + column)),
                 "r"(pair(b + row * 16 + column + 8)));
  for (unsigned i = 0; i < 4; ++i)
    c[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}

TEST_CASE("mma.sync: each lane has the elements that PTX's tables say") {
  std::vector<__half> a(256), b(128);
  for (int i = 0; i < 256; ++i)
    a[i] = static_cast<__half>(static_cast<float>(i % 7 - 3));
  for (int i = 0; i < 128; ++i)
    b[i] = static_cast<__half>(static_cast<float>(i % 5 - 1));
  const DeviceArray<__half> d_a(a), d_b(b);
  const DeviceArray<float> d_c(128);
  multiply_by_ptx<<<1, 32>>>(d_a.data(), d_b.data(), d_c.data());
  const std::vector<float> c = d_c.to_host();
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += ((row * 16 + k) % 7 - 3) * ((column * 16 + k) % 5 - 1);
      CHECK(c[row * 8 + column] == static_cast<float>(sum));
    }
}

} // namespace
