#include "problem.hpp"

#ifdef BF_HAVE_CUBLAS

#include <cublas_v2.h>

#include <string>

namespace {

void check(cublasStatus_t status, const char *what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw lab::Error(1, std::string(what) + ": " + cublasGetStatusString(status));
}

// Lives as long as the process: making it allocates memory and takes longer than a product.
cublasHandle_t handle() {
  static const cublasHandle_t made = [] {
    cublasHandle_t fresh = nullptr;
    check(cublasCreate(&fresh), "cublasCreate");
    return fresh;
  }();
  return made;
}

// cuBLAS stores matrices column by column: our A, B and C are its transposes. So it is asked for
// B^T A^T, which is C^T: its first matrix is our B.
void multiply(const Operands &m, cublasMath_t mode) {
  if (m.M == 0 || m.N == 0 || m.K == 0) {
    if (m.M > 0 && m.N > 0) // a leading dimension of 0 is refused
      LAB_CHECK(cudaMemset2DAsync(m.C, m.ldc * sizeof(float), 0, m.N * sizeof(float), m.M));
    return;
  }
  const float one = 1.0f, zero = 0.0f;
  check(cublasSetMathMode(handle(), mode), "cublasSetMathMode");
  check(cublasSgemm(handle(),
                    CUBLAS_OP_N,
                    CUBLAS_OP_N,
                    m.N,
                    m.M,
                    m.K,
                    &one,
                    m.B,
                    m.ldb,
                    m.A,
                    m.lda,
                    &zero,
                    m.C,
                    m.ldc),
        "cublasSgemm");
}

} // namespace

void start_cublas(Matmul &) { handle(); }
void run_cublas(Matmul &p) { multiply(p.plain, CUBLAS_PEDANTIC_MATH); }
void run_cublas_default(Matmul &p) { multiply(p.plain, CUBLAS_DEFAULT_MATH); }
void run_cublas_tf32(Matmul &p) { multiply(p.plain, CUBLAS_TF32_TENSOR_OP_MATH); }

#endif
