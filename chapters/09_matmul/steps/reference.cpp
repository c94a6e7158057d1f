#include "problem.hpp"

#include <cmath>

void multiply_on_host(const Operands &m, double *C, double *sum_abs) {
  for (int row = 0; row < m.M; ++row) {
    double *const c = C + static_cast<size_t>(row) * m.N;
    double *const s = sum_abs + static_cast<size_t>(row) * m.N;
    for (int col = 0; col < m.N; ++col)
      c[col] = s[col] = 0.0;
    for (int k = 0; k < m.K; ++k) {
      const double a = m.A[row * m.lda + k];
      for (int col = 0; col < m.N; ++col) {
        const double product = a * double(m.B[k * m.ldb + col]);
        c[col] += product;
        s[col] += std::fabs(product);
      }
    }
  }
}
