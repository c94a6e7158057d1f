// Checks kahan_loop.cu: off by no more than Kahan's method is, however long the sum.
#include "checker/checker.hpp"

#include <cmath>

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K);

namespace {

// What Kahan's loop gives if what is owed has the wrong sign in one of its two places.
float with_wrong_sign(const float *A, const float *B, int N, int K) {
  float sum = 0.0f, owed = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float term = A[k] * B[k * N] + owed;
    const float next = sum + term;
    owed = (next - sum) - term;
    sum = next;
  }
  return sum;
}

// What it gives if the sum is overwritten before what it has lost is worked out, which is then the whole term.
float overwritten_first(const float *A, const float *B, int N, int K) {
  float sum = 0.0f, term = 0.0f;
  for (int k = 0; k < K; ++k) {
    term += A[k] * B[k * N];
    sum += term;
  }
  return sum;
}

void check(int M, int N, int K, float low) {
  const auto A = checker::random_values<float>(static_cast<std::size_t>(M) * K, low, 1.0f);
  const auto B = checker::random_values<float>(static_cast<std::size_t>(K) * N, low, 1.0f);
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const auto seen = checker::launch(what, [&] {
    const dim3 grid((N + 7) / 8, (M + 7) / 8);
    multiply<<<grid, dim3(8, 8)>>>(d_A.data(), d_B.data(), d_C.data(), M, N, K);
  });
  if (seen && M % 8 == 0 && N % 8 == 0)
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  const auto C = d_C.download();
  const double u = lab::unit_roundoff<float>();
  double worst = 0.0; // error, in u times the sum of absolute values
  bool wrong = false, wrong_sign = true, overwritten = true;
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < N; ++col) {
      double sum = 0.0, sum_abs = 0.0;
      for (int k = 0; k < K; ++k) {
        const double product = static_cast<double>(A[row * K + k]) * B[k * N + col];
        sum += product;
        sum_abs += std::fabs(product);
      }
      const double off = std::fabs(C[row * N + col] - sum);
      wrong_sign = wrong_sign && C[row * N + col] == with_wrong_sign(&A[row * K], &B[col], N, K);
      const double of_overwritten = overwritten_first(&A[row * K], &B[col], N, K);
      overwritten = overwritten && std::fabs(C[row * N + col] - of_overwritten) <=
                                       1e-5 * std::fabs(of_overwritten);
      wrong = wrong || !(off <= lab::gamma(K, u) * sum_abs);
      const double in_u = sum_abs > 0.0 ? off / (u * sum_abs) : 0.0;
      worst = in_u <= worst ? worst : in_u;
    }
  checker::expect(!(wrong && overwritten),
                  "sum_overwritten",
                  what + ": each term has the one before added whole. When what is lost is worked "
                         "out, the sum must still be the old one: assign the new one behind that");
  checker::expect(!wrong, "wrong_result", what + ": this is not the product, not even roughly");
  checker::expect(!(wrong_sign && worst > 3.0),
                  "wrong_sign",
                  what + ": what is owed is taken with the wrong sign, so each error is made once "
                         "more instead of mended. Is it added to the next term, or subtracted?");
  // Kahan: 2 u, and K u^2, of the sum of absolute values; the product and the result round, too.
  checker::expect_at_most("error_in_roundings",
                          worst,
                          3.0,
                          "not_compensated",
                          what + ": a sum is too far off, counted in units of 2^-24 of the sum of "
                                 "absolute values. A plain sum gets more of them with every term, "
                                 "Kahan's does not");
}

} // namespace

TEST_CASE("short sums") {
  check(1, 1, 1, 0.0f);
  check(5, 9, 17, 0.0f);
  check(5, 9, 0, 0.0f);
}

TEST_CASE("a long sum of terms of one sign") { check(8, 8, 4000, 0.0f); }

TEST_CASE("a long sum of terms of both signs") { check(8, 8, 4000, -1.0f); }

TEST_CASE("floats do") {
  // Eight halves of what no float can hold, then as many with the other sign: a sum in floats is infinite
  // or no number from the second one on; one that is finite was kept as something larger.
  std::vector<float> A(17, 1.0f), B(17, 0x1p127f);
  for (int k = 8; k < 16; ++k)
    A[k] = -1.0f;
  B[16] = 1.0f;
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(1);
  checker::launch("a sum that no float can hold", [&] {
    multiply<<<1, dim3(8, 8)>>>(d_A.data(), d_B.data(), d_C.data(), 1, 1, 17);
  });
  checker::expect(
      !std::isfinite(d_C.at(0)),
      "in_double",
      "the sums are right, but they are kept as double: what no float can hold came out "
      "finite. Many GPUs compute a double in the time of 32 or 64 floats; what a float "
      "sum has lost fits in a second float");
}
