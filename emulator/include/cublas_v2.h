// cuBLAS's calls that programs use most, by plain loops (emu/blas/blas_loops.hpp): slow, and meant for checking results
// against. Calls that are not here do not compile.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/blas/blas_loops.hpp"

inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  if (handle == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (handle == nullptr)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
#define EMU_SETTING(SET, GET, TYPE, MEMBER) \
  inline cublasStatus_t SET(cublasHandle_t handle, TYPE value) { \
    if (handle == nullptr) \
      return CUBLAS_STATUS_NOT_INITIALIZED; \
    handle->MEMBER = value; \
    return CUBLAS_STATUS_SUCCESS; \
  } \
  inline cublasStatus_t GET(cublasHandle_t handle, TYPE *value) { \
    if (handle == nullptr) \
      return CUBLAS_STATUS_NOT_INITIALIZED; \
    *value = handle->MEMBER; \
    return CUBLAS_STATUS_SUCCESS; \
  }
EMU_SETTING(cublasSetStream, cublasGetStream, cudaStream_t, stream)
EMU_SETTING(cublasSetPointerMode, cublasGetPointerMode, cublasPointerMode_t, pointers)
EMU_SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)
EMU_SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
#undef EMU_SETTING
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *, size_t) {
  return emu::blas::refusal(handle, {});
}

inline const char *cublasGetStatusName(cublasStatus_t status) {
#define EMU_STATUS(NAME) \
  case NAME: \
    return #NAME;
  switch (status) {
    EMU_STATUS(CUBLAS_STATUS_SUCCESS)
    EMU_STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
    EMU_STATUS(CUBLAS_STATUS_ALLOC_FAILED)
    EMU_STATUS(CUBLAS_STATUS_INVALID_VALUE)
    EMU_STATUS(CUBLAS_STATUS_ARCH_MISMATCH)
    EMU_STATUS(CUBLAS_STATUS_MAPPING_ERROR)
    EMU_STATUS(CUBLAS_STATUS_EXECUTION_FAILED)
    EMU_STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
    EMU_STATUS(CUBLAS_STATUS_NOT_SUPPORTED)
    EMU_STATUS(CUBLAS_STATUS_LICENSE_ERROR)
  }
#undef EMU_STATUS
  return "unknown status";
}
inline const char *cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

// ---- copies between host and device, of vectors and of matrices

inline cublasStatus_t cublasSetMatrixAsync(int rows,
                                           int columns,
                                           int bytes,
                                           const void *a,
                                           int lda,
                                           void *b,
                                           int ldb,
                                           cudaStream_t stream) {
  const size_t element = static_cast<size_t>(bytes);
  return rows < 0 || columns < 0 || bytes <= 0 || lda < 1 || ldb < 1 ? CUBLAS_STATUS_INVALID_VALUE
         : rows == 0 || columns == 0                                 ? CUBLAS_STATUS_SUCCESS
         : cudaMemcpy2DAsync(b,
                             element * static_cast<size_t>(ldb),
                             a,
                             element * static_cast<size_t>(lda),
                             element * static_cast<size_t>(rows),
                             static_cast<size_t>(columns),
                             cudaMemcpyDefault,
                             stream) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_MAPPING_ERROR;
}
inline cublasStatus_t cublasGetMatrixAsync(int rows,
                                           int columns,
                                           int bytes,
                                           const void *a,
                                           int lda,
                                           void *b,
                                           int ldb,
                                           cudaStream_t stream) {
  return cublasSetMatrixAsync(rows, columns, bytes, a, lda, b, ldb, stream);
}
inline cublasStatus_t
cublasSetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb) {
  const cublasStatus_t status = cublasSetMatrixAsync(rows, columns, bytes, a, lda, b, ldb, nullptr);
  return status == CUBLAS_STATUS_SUCCESS ? emu::blas::status_of(cudaStreamSynchronize(nullptr))
                                         : status;
}
inline cublasStatus_t
cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb) {
  return cublasSetMatrix(rows, columns, bytes, a, lda, b, ldb);
}
inline cublasStatus_t
cublasSetVector(int n, int bytes, const void *x, int step_x, void *y, int step_y) {
  return cublasSetMatrix(1, n, bytes, x, step_x, y, step_y);
}
inline cublasStatus_t
cublasGetVector(int n, int bytes, const void *x, int step_x, void *y, int step_y) {
  return cublasSetMatrix(1, n, bytes, x, step_x, y, step_y);
}

// ---- vectors

#define EMU_BLAS_REFUSE(...) \
  if (const cublasStatus_t refused = emu::blas::refusal(__VA_ARGS__); \
      refused != CUBLAS_STATUS_SUCCESS) \
  return refused

#define EMU_VECTORS(L, I, T) \
  inline cublasStatus_t cublas##L##axpy( \
      cublasHandle_t handle, int n, const T *alpha, const T *x, int step_x, T *y, int step_y) { \
    EMU_BLAS_REFUSE(handle, {}, alpha != nullptr); \
    const emu::blas::Factor<T> factor(handle, alpha); \
    const emu::blas::Vector<const T> in(x, n, step_x); \
    const emu::blas::Vector<T> out(y, n, step_y); \
    return emu::blas::for_each(handle, "cublas" #L "axpy", n > 0 ? n : 0, [=](int64_t i) { \
      out[i] = emu::blas::plus(emu::blas::times(factor.get(), in[i]), out[i]); \
    }); \
  } \
  inline cublasStatus_t cublas##L##copy( \
      cublasHandle_t handle, int n, const T *x, int step_x, T *y, int step_y) { \
    EMU_BLAS_REFUSE(handle, {}); \
    const emu::blas::Vector<const T> in(x, n, step_x); \
    const emu::blas::Vector<T> out(y, n, step_y); \
    return emu::blas::for_each( \
        handle, "cublas" #L "copy", n > 0 ? n : 0, [=](int64_t i) { out[i] = in[i]; }); \
  } \
  inline cublasStatus_t cublas##L##swap( \
      cublasHandle_t handle, int n, T *x, int step_x, T *y, int step_y) { \
    EMU_BLAS_REFUSE(handle, {}); \
    const emu::blas::Vector<T> one(x, n, step_x), other(y, n, step_y); \
    return emu::blas::for_each(handle, "cublas" #L "swap", n > 0 ? n : 0, [=](int64_t i) { \
      const T kept = one[i]; \
      one[i] = other[i]; \
      other[i] = kept; \
    }); \
  } \
  inline cublasStatus_t cublas##L##scal( \
      cublasHandle_t handle, int n, const T *alpha, T *x, int step_x) { \
    EMU_BLAS_REFUSE(handle, {}, alpha != nullptr); \
    const emu::blas::Factor<T> factor(handle, alpha); \
    return emu::blas::for_each( \
        handle, "cublas" #L "scal", n > 0 && step_x > 0 ? n : 0, [=](int64_t i) { \
          x[i * step_x] = emu::blas::times(factor.get(), x[i * step_x]); \
        }); \
  } \
  inline cublasStatus_t cublasI##I##amax( \
      cublasHandle_t handle, int n, const T *x, int step_x, int *result) { \
    return emu::blas::find_extreme(handle, "cublasI" #I "amax", n, x, step_x, result, true); \
  } \
  inline cublasStatus_t cublasI##I##amin( \
      cublasHandle_t handle, int n, const T *x, int step_x, int *result) { \
    return emu::blas::find_extreme(handle, "cublasI" #I "amin", n, x, step_x, result, false); \
  }
EMU_VECTORS(S, s, float)
EMU_VECTORS(D, d, double)
EMU_VECTORS(C, c, cuComplex)
EMU_VECTORS(Z, z, cuDoubleComplex)
#undef EMU_VECTORS

#define EMU_DOT(NAME, T, FIRST) \
  inline cublasStatus_t NAME( \
      cublasHandle_t handle, int n, const T *x, int step_x, const T *y, int step_y, T *result) { \
    EMU_BLAS_REFUSE(handle, {}, result != nullptr); \
    const emu::blas::Vector<const T> one(x, n, step_x), other(y, n, step_y); \
    return emu::blas::reduce(handle, #NAME, result, [=] { \
      T sum{}; \
      for (int64_t i = 0; i < n; ++i) \
        sum = emu::blas::plus(sum, emu::blas::times(FIRST(one[i]), other[i])); \
      return sum; \
    }); \
  }
EMU_DOT(cublasSdot, float, )
EMU_DOT(cublasDdot, double, )
EMU_DOT(cublasCdotu, cuComplex, )
EMU_DOT(cublasCdotc, cuComplex, emu::blas::conjugate)
EMU_DOT(cublasZdotu, cuDoubleComplex, )
EMU_DOT(cublasZdotc, cuDoubleComplex, emu::blas::conjugate)
#undef EMU_DOT

#define EMU_NORMS(L, REAL_L, T, R) \
  inline cublasStatus_t cublas##REAL_L##asum( \
      cublasHandle_t handle, int n, const T *x, int step_x, R *result) { \
    EMU_BLAS_REFUSE(handle, {}, result != nullptr); \
    return emu::blas::reduce(handle, "cublas" #REAL_L "asum", result, [=] { \
      R sum = 0; \
      for (int64_t i = 0; i < n && step_x > 0; ++i) \
        sum += emu::blas::size_of(x[i * step_x]); \
      return sum; \
    }); \
  } \
  /* No square of a large element overflows. */ \
  inline cublasStatus_t cublas##REAL_L##nrm2( \
      cublasHandle_t handle, int n, const T *x, int step_x, R *result) { \
    EMU_BLAS_REFUSE(handle, {}, result != nullptr); \
    return emu::blas::reduce(handle, "cublas" #REAL_L "nrm2", result, [=] { \
      R norm = 0; \
      for (int64_t i = 0; i < n && step_x > 0; ++i) \
        norm = std::hypot(norm, emu::blas::length_of(x[i * step_x])); \
      return norm; \
    }); \
  }
EMU_NORMS(S, S, float, float)
EMU_NORMS(D, D, double, double)
EMU_NORMS(C, Sc, cuComplex, float)
EMU_NORMS(Z, Dz, cuDoubleComplex, double)
#undef EMU_NORMS

#include "emu/blas/blas_matrices.hpp"
#undef EMU_BLAS_REFUSE

#include "emu/language/letters_back.hpp"
