#include "problem.hpp"

#include <cmath>

namespace {

__global__ void multiply(Operands m, double *C, double *sum_abs) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m.M || col >= m.N)
    return;
  double sum = 0.0, sum_of_abs = 0.0;
  for (int k = 0; k < m.K; ++k) {
    const double product = double(m.A[row * m.lda + k]) * double(m.B[k * m.ldb + col]);
    sum += product;
    sum_of_abs += fabs(product);
  }
  C[static_cast<size_t>(row) * m.N + col] = sum;
  sum_abs[static_cast<size_t>(row) * m.N + col] = sum_of_abs;
}

} // namespace

void multiply_in_double(const Operands &d_m, const Operands &h_m, double *C, double *sum_abs) {
  const size_t elements = static_cast<size_t>(d_m.M) * d_m.N;
  lab::DeviceBuffer<double> d_C(elements), d_sum_abs(elements);
  multiply<<<grid_of_tiles(d_m.N, 32, d_m.M, 8), dim3(32, 8)>>>(d_m, d_C.data(), d_sum_abs.data());
  LAB_CHECK_LAUNCH();
  lab::detail::copy(C, d_C.data(), d_C.bytes(), cudaMemcpyDeviceToHost);
  lab::detail::copy(sum_abs, d_sum_abs.data(), d_sum_abs.bytes(), cudaMemcpyDeviceToHost);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const int row = lab::random_int(1, i, 0, d_m.M - 1), col = lab::random_int(2, i, 0, d_m.N - 1);
    double sum = 0.0;
    for (int k = 0; k < h_m.K; ++k)
      sum += double(h_m.A[row * h_m.lda + k]) * double(h_m.B[k * h_m.ldb + col]);
    const size_t at = static_cast<size_t>(row) * d_m.N + col;
    if (!(std::fabs(sum - C[at]) <=
          lab::gamma(2.0 * d_m.K, lab::unit_roundoff<double>()) * sum_abs[at]))
      throw lab::Error(1, "the reference on the device differs from the host's loop");
  }
}
