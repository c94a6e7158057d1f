#include "problem.hpp"

#ifdef BF_HAVE_CUBLAS

#include <cublas_v2.h>

#include <string>

namespace {

void check(cublasStatus_t status, const char *what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw lab::Error(1, std::string(what) + ": " + cublasGetStatusString(status));
}

// Lives as long as the process: making it allocates memory and takes longer than the transpose.
cublasHandle_t handle() {
  static const cublasHandle_t made = [] {
    cublasHandle_t fresh = nullptr;
    check(cublasCreate(&fresh), "cublasCreate");
    return fresh;
  }();
  return made;
}

} // namespace

void start_cublas(Matrix &) { handle(); }

// cublasSgeam computes C = alpha op(A) + beta op(B), here 1 A^T + 0 B. It stores matrices column by
// column: so our input is its A of cols x rows, and our output its C of rows x cols.
void run_cublas(Matrix &p) {
  if (p.elements() == 0)
    return; // cuBLAS refuses a leading dimension of 0
  const float one = 1.0f, zero = 0.0f;
  const int rows = static_cast<int>(p.rows), cols = static_cast<int>(p.cols);
  float *const c = p.d_out.data();
  check(cublasSgeam(handle(),
                    CUBLAS_OP_T,
                    CUBLAS_OP_N,
                    rows,
                    cols,
                    &one,
                    p.d_in.data(),
                    cols,
                    &zero,
                    c,
                    rows,
                    c,
                    rows),
        "cublasSgeam");
}

#endif
