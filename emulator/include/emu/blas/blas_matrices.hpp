/// \file
/// cuBLAS's calls with matrices: a part of cublas_v2.h.
#pragma once

#define EMU_MATRICES(L, T) \
  inline cublasStatus_t cublas##L##gemv(cublasHandle_t handle, \
                                        cublasOperation_t operation, \
                                        int m, \
                                        int n, \
                                        const T *alpha, \
                                        const T *a, \
                                        int lda, \
                                        const T *x, \
                                        int step_x, \
                                        const T *beta, \
                                        T *y, \
                                        int step_y) { \
    return emu::blas::multiply_vector( \
        handle, "cublas" #L "gemv", operation, m, n, alpha, a, lda, x, step_x, beta, y, step_y); \
  } \
  /* C = alpha op(A) + beta op(B), where C may be A or B. */ \
  inline cublasStatus_t cublas##L##geam(cublasHandle_t handle, \
                                        cublasOperation_t of_a, \
                                        cublasOperation_t of_b, \
                                        int m, \
                                        int n, \
                                        const T *alpha, \
                                        const T *a, \
                                        int lda, \
                                        const T *beta, \
                                        const T *b, \
                                        int ldb, \
                                        T *c, \
                                        int ldc) { \
    EMU_BLAS_REFUSE(handle, {m, n}, alpha &&beta &&lda > 0 && ldb > 0 && ldc >= (m > 1 ? m : 1)); \
    const emu::blas::Factor<T> factor_a(handle, alpha), factor_b(handle, beta); \
    const emu::blas::Operand<T> one{a, lda, of_a}, other{b, ldb, of_b}; \
    return emu::blas::for_each(handle, "cublas" #L "geam", int64_t{m} * n, [=](int64_t i) { \
      const T fa = factor_a.get(), fb = factor_b.get(); \
      T sum{}; \
      if (!emu::blas::is_zero(fa)) \
        sum = emu::blas::times(fa, one.at(i % m, i / m)); \
      if (!emu::blas::is_zero(fb)) \
        sum = emu::blas::plus(sum, emu::blas::times(fb, other.at(i % m, i / m))); \
      c[i % m + i / m * ldc] = sum; \
    }); \
  }
EMU_MATRICES(S, float)
EMU_MATRICES(D, double)
EMU_MATRICES(C, cuComplex)
EMU_MATRICES(Z, cuDoubleComplex)
#undef EMU_MATRICES

// A = alpha x y^T + A.
#define EMU_GER(NAME, T, OF_Y) \
  inline cublasStatus_t NAME(cublasHandle_t handle, \
                             int m, \
                             int n, \
                             const T *alpha, \
                             const T *x, \
                             int step_x, \
                             const T *y, \
                             int step_y, \
                             T *a, \
                             int lda) { \
    EMU_BLAS_REFUSE(handle, {m, n}, alpha &&step_x != 0 && step_y != 0 && lda >= (m > 1 ? m : 1)); \
    const emu::blas::Factor<T> factor(handle, alpha); \
    const emu::blas::Vector<const T> one(x, m, step_x), other(y, n, step_y); \
    return emu::blas::for_each(handle, #NAME, int64_t{m} * n, [=](int64_t i) { \
      T &element = a[i % m + i / m * lda]; \
      const T product = emu::blas::times(one[i % m], OF_Y(other[i / m])); \
      element = emu::blas::plus(emu::blas::times(factor.get(), product), element); \
    }); \
  }
EMU_GER(cublasSger, float, )
EMU_GER(cublasDger, double, )
EMU_GER(cublasCgeru, cuComplex, )
EMU_GER(cublasCgerc, cuComplex, emu::blas::conjugate)
EMU_GER(cublasZgeru, cuDoubleComplex, )
EMU_GER(cublasZgerc, cuDoubleComplex, emu::blas::conjugate)
#undef EMU_GER

#define EMU_GEMM(L, T) \
  inline cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t handle, \
                                                      cublasOperation_t of_a, \
                                                      cublasOperation_t of_b, \
                                                      int m, \
                                                      int n, \
                                                      int k, \
                                                      const T *alpha, \
                                                      const T *a, \
                                                      int lda, \
                                                      long long step_a, \
                                                      const T *b, \
                                                      int ldb, \
                                                      long long step_b, \
                                                      const T *beta, \
                                                      T *c, \
                                                      int ldc, \
                                                      long long step_c, \
                                                      int count) { \
    return emu::blas::multiply<T, const T *, const T *, T *>( \
        handle, \
        "cublas" #L "gemm", \
        {of_a, of_b, m, n, k, lda, ldb, ldc, count}, \
        alpha, \
        {a, step_a}, \
        {b, step_b}, \
        beta, \
        {c, step_c}); \
  } \
  inline cublasStatus_t cublas##L##gemm(cublasHandle_t handle, \
                                        cublasOperation_t of_a, \
                                        cublasOperation_t of_b, \
                                        int m, \
                                        int n, \
                                        int k, \
                                        const T *alpha, \
                                        const T *a, \
                                        int lda, \
                                        const T *b, \
                                        int ldb, \
                                        const T *beta, \
                                        T *c, \
                                        int ldc) { \
    return cublas##L##gemmStridedBatched( \
        handle, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1); \
  } \
  inline cublasStatus_t cublas##L##gemmBatched(cublasHandle_t handle, \
                                               cublasOperation_t of_a, \
                                               cublasOperation_t of_b, \
                                               int m, \
                                               int n, \
                                               int k, \
                                               const T *alpha, \
                                               const T *const a[], \
                                               int lda, \
                                               const T *const b[], \
                                               int ldb, \
                                               const T *beta, \
                                               T *const c[], \
                                               int ldc, \
                                               int count) { \
    return emu::blas::multiply<T, const T *const *, const T *const *, T *const *>( \
        handle, \
        "cublas" #L "gemmBatched", \
        {of_a, of_b, m, n, k, lda, ldb, ldc, count}, \
        alpha, \
        {a, 0}, \
        {b, 0}, \
        beta, \
        {c, 0}); \
  }
EMU_GEMM(S, float)
EMU_GEMM(D, double)
EMU_GEMM(C, cuComplex)
EMU_GEMM(Z, cuDoubleComplex)
EMU_GEMM(H, __half)
#undef EMU_GEMM

namespace emu::blas {

/// Calls `use` with a pointer of the type; false where there is no such one here.
inline bool with_type(cudaDataType type, const auto &use) {
  switch (type) {
  case CUDA_R_16F:
    return use(static_cast<__half *>(nullptr));
  case CUDA_R_16BF:
    return use(static_cast<__nv_bfloat16 *>(nullptr));
  case CUDA_R_32F:
    return use(static_cast<float *>(nullptr));
  case CUDA_R_64F:
    return use(static_cast<double *>(nullptr));
  case CUDA_R_8I:
    return use(static_cast<int8_t *>(nullptr));
  case CUDA_R_32I:
    return use(static_cast<int *>(nullptr));
  default:
    return false;
  }
}

/// How products are added; of programs from before CUDA 11, which name a type in this place, the type that the sum has.
struct SumType {
  cublasComputeType_t value;
  SumType(cublasComputeType_t value) : value(value) {}
  SumType(cudaDataType type)
      : value(type == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
              : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F
              : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                   : CUBLAS_COMPUTE_32F) {}
};

/// Types in memory, and in which the products are added: those that cuBLAS lists, of real numbers.
template <class In, class Out> constexpr bool multiplies(cublasComputeType_t sum) {
  constexpr bool small = std::is_same_v<In, __half> || std::is_same_v<In, __nv_bfloat16>;
  switch (sum) {
  case CUBLAS_COMPUTE_16F:
  case CUBLAS_COMPUTE_16F_PEDANTIC:
    return std::is_same_v<In, __half> && std::is_same_v<Out, __half>;
  case CUBLAS_COMPUTE_32I:
  case CUBLAS_COMPUTE_32I_PEDANTIC:
    return std::is_same_v<In, int8_t> && std::is_same_v<Out, int>;
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC:
    return std::is_same_v<In, double> && std::is_same_v<Out, double>;
  default:
    return (small && (std::is_same_v<Out, In> || std::is_same_v<Out, float>)) ||
           ((std::is_same_v<In, float> || std::is_same_v<In, int8_t>)&&std::is_same_v<Out, float>);
  }
}

} // namespace emu::blas

inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle,
                                                 cublasOperation_t of_a,
                                                 cublasOperation_t of_b,
                                                 int m,
                                                 int n,
                                                 int k,
                                                 const void *alpha,
                                                 const void *a,
                                                 cudaDataType type_a,
                                                 int lda,
                                                 long long step_a,
                                                 const void *b,
                                                 cudaDataType type_b,
                                                 int ldb,
                                                 long long step_b,
                                                 const void *beta,
                                                 void *c,
                                                 cudaDataType type_c,
                                                 int ldc,
                                                 long long step_c,
                                                 int count,
                                                 cublasComputeType_t sum,
                                                 cublasGemmAlgo_t) {
  cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
  if (type_a != type_b)
    return status;
  emu::blas::with_type(type_a, [&]<class In>(In *) {
    return emu::blas::with_type(type_c, [&]<class Out>(Out *) {
      const auto multiply = [&]<class Sum>(Sum *) {
        status = emu::blas::multiply<Sum, const In *, const In *, Out *>(
            handle,
            "cublasGemmEx",
            {of_a, of_b, m, n, k, lda, ldb, ldc, count},
            static_cast<const Sum *>(alpha),
            {static_cast<const In *>(a), step_a},
            {static_cast<const In *>(b), step_b},
            static_cast<const Sum *>(beta),
            {static_cast<Out *>(c), step_c});
      };
      if (!emu::blas::multiplies<In, Out>(sum))
        return false;
      if constexpr (std::is_same_v<Out, int>)
        multiply(static_cast<int *>(nullptr));
      else if constexpr (std::is_same_v<Out, double>)
        multiply(static_cast<double *>(nullptr));
      else if (std::is_same_v<Out, __half> &&
               (sum == CUBLAS_COMPUTE_16F || sum == CUBLAS_COMPUTE_16F_PEDANTIC))
        multiply(static_cast<__half *>(nullptr));
      else
        multiply(static_cast<float *>(nullptr));
      return true;
    });
  });
  return status;
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle,
                                   cublasOperation_t of_a,
                                   cublasOperation_t of_b,
                                   int m,
                                   int n,
                                   int k,
                                   const void *alpha,
                                   const void *a,
                                   cudaDataType type_a,
                                   int lda,
                                   const void *b,
                                   cudaDataType type_b,
                                   int ldb,
                                   const void *beta,
                                   void *c,
                                   cudaDataType type_c,
                                   int ldc,
                                   emu::blas::SumType sum,
                                   cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle,
                                    of_a,
                                    of_b,
                                    m,
                                    n,
                                    k,
                                    alpha,
                                    a,
                                    type_a,
                                    lda,
                                    0,
                                    b,
                                    type_b,
                                    ldb,
                                    0,
                                    beta,
                                    c,
                                    type_c,
                                    ldc,
                                    0,
                                    1,
                                    sum.value,
                                    algorithm);
}
