// cuBLAS and 8-bit numbers.
#include <cublas_v2.h>
#include <cuda_fp8.h>

#include <cmath>

#include "conformance.cuh"

namespace {

using conformance::DeviceArray;

constexpr auto success = CUBLAS_STATUS_SUCCESS;
constexpr int m = 3, n = 2, k = 4;

template <class Number> std::vector<Number> count_from(float first, int count) {
  std::vector<Number> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = static_cast<Number>(first + static_cast<float>(i));
  return values;
}

/// alpha * op(A) op(B) + beta * C, of matrices that lie column by column without gaps.
std::vector<float>
product(bool turn_a, bool turn_b, float alpha, float beta, std::vector<float> c) {
  const auto a = count_from<float>(1, m * k), b = count_from<float>(-3, k * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int step = 0; step < k; ++step)
        sum += a[turn_a ? step + row * k : row + step * m] *
               b[turn_b ? column + step * n : step + column * k];
      float &old = c[row + column * m];
      old = beta == 0 ? alpha * sum : alpha * sum + beta * old;
    }
  return c;
}

} // namespace

TEST_CASE("cuBLAS multiplies: turned or not, factors of the host and of the device; a beta of 0 "
          "reads nothing") {
  cublasHandle_t handle;
  REQUIRE(cublasCreate(&handle) == success);
  const DeviceArray<float> a(count_from<float>(1, m * k)), b(count_from<float>(-3, k * n));
  const DeviceArray<float> factors({0.5f, 2});
  for (const bool turn_a : {false, true})
    for (const bool turn_b : {false, true}) {
      const auto of_a = turn_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                 of_b = turn_b ? CUBLAS_OP_T : CUBLAS_OP_N;
      const int lda = turn_a ? k : m, ldb = turn_b ? n : k;
      const DeviceArray<float> c(std::vector<float>(m * n, NAN));
      const float alpha = 2, beta = 0;
      const auto multiply = [&](const float *by, const float *old) {
        return cublasSgemm(
            handle, of_a, of_b, m, n, k, by, a.data(), lda, b.data(), ldb, old, c.data(), m);
      };
      REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST) == success);
      CHECK(multiply(&alpha, &beta) == success);
      const auto first = product(turn_a, turn_b, 2, 0, std::vector<float>(m * n));
      CHECK(c.to_host() == first);
      REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == success);
      CHECK(multiply(factors.data(), factors.data() + 1) == success);
      CHECK(c.to_host() == product(turn_a, turn_b, 0.5f, 2, first));
    }
  const float one = 1, zero = 0;
  const DeviceArray<float> c(m * n);
  REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST) == success);
  CHECK(cublasSgemm(handle,
                    CUBLAS_OP_N,
                    CUBLAS_OP_N,
                    m,
                    n,
                    k,
                    &one,
                    a.data(),
                    m - 1,
                    b.data(),
                    k,
                    &zero,
                    c.data(),
                    m) == CUBLAS_STATUS_INVALID_VALUE);

  const DeviceArray<__half> short_a(count_from<__half>(1, m * k)),
      short_b(count_from<__half>(-3, k * n));
  CHECK(cublasGemmEx(handle,
                     CUBLAS_OP_N,
                     CUBLAS_OP_N,
                     m,
                     n,
                     k,
                     &one,
                     short_a.data(),
                     CUDA_R_16F,
                     m,
                     short_b.data(),
                     CUDA_R_16F,
                     k,
                     &zero,
                     c.data(),
                     CUDA_R_32F,
                     m,
                     CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT) == success);
  CHECK(c.to_host() == product(false, false, 1, 0, std::vector<float>(m * n)));
  CHECK(cublasDestroy(handle) == success);
}

TEST_CASE("cuBLAS's vectors: sums, the greatest, steps forwards and backwards") {
  cublasHandle_t handle;
  REQUIRE(cublasCreate(&handle) == success);
  const DeviceArray<float> x(count_from<float>(1, 8)), y(count_from<float>(-3, 8));
  float result = 0;
  int place = 0;
  CHECK(cublasSdot(handle, 8, x.data(), 1, y.data(), 1, &result) == success);
  CHECK(result == 60);
  CHECK(cublasSnrm2(handle, 2, x.data() + 2, 1, &result) == success);
  CHECK(result == 5);
  CHECK(cublasSasum(handle, 8, y.data(), 1, &result) == success);
  CHECK(result == 16);
  CHECK(cublasIsamax(handle, 8, y.data(), 1, &place) == success);
  CHECK(place == 8);
  CHECK(cublasIsamin(handle, 8, y.data(), 1, &place) == success);
  CHECK(place == 4);
  const float three = 3, zero = 0;
  CHECK(cublasSaxpy(handle, 4, &three, x.data(), -1, y.data(), 2) == success);
  CHECK(y.to_host() == std::vector<float>{9, -2, 8, 0, 7, 2, 6, 4});
  const DeviceArray<float> out(std::vector<float>(2, NAN));
  CHECK(
      cublasSgemv(
          handle, CUBLAS_OP_N, 2, 4, &three, x.data(), 2, y.data() + 1, 2, &zero, out.data(), 1) ==
      success);
  CHECK(out.to_host() == std::vector<float>{3 * (-2 + 0 + 10 + 28), 3 * (-4 + 0 + 12 + 32)});
  CHECK(cublasDestroy(handle) == success);
}

TEST_CASE("8-bit numbers: rounded to even, and not beyond the greatest") {
  const struct {
    float value;
    int e4m3, e5m2;
  } rows[] = {{1, 0x38, 0x3c},
              {-1.0625f, 0xb8, 0xbc},
              {464, 0x7e, 0x5f},
              {1e9f, 0x7e, 0x7b},
              {-INFINITY, 0xfe, 0xfb},
              {NAN, 0x7f, 0x7f},
              {0.001953125f, 0x01, 0x18},
              {0.0009765625f, 0x00, 0x14},
              {3.3f, 0x45, 0x43}};
  for (const auto &row : rows) {
    CAPTURE(row.value);
    CHECK(__nv_fp8_e4m3(row.value).__x == row.e4m3);
    CHECK(__nv_fp8_e5m2(row.value).__x == row.e5m2);
  }
  CHECK(__nv_cvt_float_to_fp8(500, __NV_NOSAT, __NV_E4M3) == 0x7f);
  CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) == 0x7c);
  CHECK(float(__nv_fp8_e4m3(3.3f)) == 3.25f);
  CHECK(__nv_fp8x2_e5m2(make_float2(1, -1)).__x == 0xbc3c);
}
