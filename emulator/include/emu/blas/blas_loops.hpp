/// \file
/// What cuBLAS computes, by plain loops: a kernel per call, in the handle's stream. Matrices lie column by column. Sums
/// go from the first element to the last; a GPU adds in another order, so that last digits differ.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "emu/blas/blas_types.hpp"
#include "emu/cub/cub_device.hpp"

namespace emu::blas {

// ---- numbers: what is real, and pairs that are complex

template <class T>
inline constexpr bool is_complex = std::is_same_v<T, float2> || std::is_same_v<T, double2>;
template <class T> struct RealOf { using type = T; };
template <> struct RealOf<float2> { using type = float; };
template <> struct RealOf<double2> { using type = double; };
template <class T> using Real = typename RealOf<T>::type;

template <class T> T plus(T a, T b) {
  if constexpr (is_complex<T>)
    return {a.x + b.x, a.y + b.y};
  else
    return static_cast<T>(a + b);
}
template <class T> T times(T a, T b) {
  if constexpr (is_complex<T>)
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
  else
    return static_cast<T>(a * b);
}
template <class T> T conjugate(T a) {
  if constexpr (is_complex<T>)
    return {a.x, -a.y};
  else
    return a;
}
template <class T> bool is_zero(T a) {
  if constexpr (is_complex<T>)
    return a.x == 0 && a.y == 0;
  else
    return a == T(0);
}
/// As asum and amax have it: |real| + |imaginary|.
template <class T> Real<T> size_of(T a) {
  if constexpr (is_complex<T>)
    return std::abs(a.x) + std::abs(a.y);
  else
    return std::abs(a);
}
template <class T> Real<T> length_of(T a) {
  if constexpr (is_complex<T>)
    return std::hypot(a.x, a.y);
  else
    return std::abs(a);
}
template <class To, class From> To converted(From a) {
  if constexpr (std::is_same_v<To, From>)
    return a;
  else if constexpr (std::is_same_v<To, int8_t>)
    return to_integer<int8_t>(static_cast<double>(a));
  else if constexpr (std::is_integral_v<From> || std::is_same_v<From, double>)
    return static_cast<To>(a);
  else
    return static_cast<To>(static_cast<float>(a));
}

// ---- kernels

inline cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// A thread for each of n elements. \param name  for reports
template <class Work>
cublasStatus_t for_each(cublasHandle_t handle, const char *name, int64_t n, Work work) {
  if (n == 0)
    return CUBLAS_STATUS_SUCCESS;
  constexpr unsigned block = 256;
  const LaunchOutcome outcome;
  configure(name, static_cast<unsigned>((n + block - 1) / block), block, 0, handle->stream);
  run_kernel(
      name,
      nullptr,
      "",
      [n](const uint3 &thread,
          const uint3 &its_block,
          const dim3 &,
          const dim3 &,
          const Work &todo) {
        const int64_t i = int64_t{its_block.x} * block + thread.x;
        if (i < n)
          todo(i);
      },
      work);
  return status_of(outcome.error());
}

/// A factor, by the handle's mode: now of the host's memory, or of the device's when the kernel runs.
template <class T> class Factor {
public:
  Factor(cublasHandle_t handle, const T *pointer)
      : on_device_(handle->pointers == CUBLAS_POINTER_MODE_DEVICE ? pointer : nullptr),
        value_(on_device_ == nullptr ? *pointer : T()) {}
  T get() const { return on_device_ ? *on_device_ : value_; }

private:
  const T *on_device_;
  T value_;
};

template <class T> EMU_UNOBSERVED inline void store_on_host(T *to, T value) { *to = value; }

/// One thread, which computes a number for the device's memory, or for the host's, which is waited for then.
template <class T, class Work>
cublasStatus_t reduce(cublasHandle_t handle, const char *name, T *result, Work work) {
  const bool on_host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
  cudaError_t error = run_in_stream(name, handle->stream, [=] {
    const T value = work();
    if (on_host)
      store_on_host(result, value);
    else
      *result = value;
  });
  if (error == cudaSuccess && on_host)
    error = cudaStreamSynchronize(handle->stream);
  return status_of(error);
}

/// A vector, which a negative step walks from its end.
template <class T> class Vector {
public:
  Vector(T *first, int64_t n, int64_t step)
      : first_(step < 0 ? first - (n - 1) * step : first), step_(step) {}
  T &operator[](int64_t i) const { return first_[i * step_]; }

private:
  T *first_;
  int64_t step_;
};

/// A matrix as its operation has it.
template <class T> struct Operand {
  const T *first;
  int64_t leading;
  cublasOperation_t operation;
  T at(int64_t row, int64_t column) const {
    if (operation == CUBLAS_OP_N)
      return first[row + column * leading];
    const T element = first[column + row * leading];
    return operation == CUBLAS_OP_C ? conjugate(element) : element;
  }
};
/// clang deduces none for an aggregate by itself before 17.
template <class T> Operand(const T *, int64_t, cublasOperation_t) -> Operand<T>;

/// alpha * sum + beta * old; with a beta of 0 what lies there is not read, and may be anything.
template <class Sum, class T> T blended(Sum alpha, Sum sum, Sum beta, const T &old) {
  const Sum scaled = times(alpha, sum);
  return converted<T>(is_zero(beta) ? scaled : plus(scaled, times(beta, converted<Sum>(old))));
}

/// Whether a call makes sense at all. \param sizes  none may be negative
inline cublasStatus_t
refusal(cublasHandle_t handle, std::initializer_list<int64_t> sizes, bool right = true) {
  if (handle == nullptr)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  for (const int64_t size : sizes)
    right = right && size >= 0;
  return right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/// From one matrix of a batch to the next: so many elements, or by an array of pointers.
template <class Pointer> struct Batch {
  Pointer first;
  int64_t step;
  auto *operator[](int64_t i) const {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(*first)>>)
      return first[i];
    else
      return first + i * step;
  }
};

/// What a product is of.
struct Product {
  cublasOperation_t of_a, of_b;
  int64_t m, n, k, lda, ldb, ldc, count;
};

/// C = alpha * op(A) op(B) + beta * C, for each of a batch. \tparam Sum  in which it is computed
template <class Sum, class A, class B, class C>
cublasStatus_t multiply(cublasHandle_t handle,
                        const char *name,
                        const Product &p,
                        const Sum *alpha,
                        Batch<A> a,
                        Batch<B> b,
                        const Sum *beta,
                        Batch<C> c) {
  const int64_t rows_a = p.of_a == CUBLAS_OP_N ? p.m : p.k,
                rows_b = p.of_b == CUBLAS_OP_N ? p.k : p.n;
  const auto fits = [](int64_t leading, int64_t rows) { return leading >= (rows > 1 ? rows : 1); };
  const cublasStatus_t refused =
      refusal(handle,
              {p.m, p.n, p.k, p.count},
              alpha != nullptr && beta != nullptr && fits(p.lda, rows_a) && fits(p.ldb, rows_b) &&
                  fits(p.ldc, p.m));
  if (refused != CUBLAS_STATUS_SUCCESS)
    return refused;
  const Factor<Sum> factor(handle, alpha), old(handle, beta);
  return for_each(handle, name, p.m * p.n * p.count, [=](int64_t i) {
    const int64_t row = i % p.m, column = i / p.m % p.n, which = i / p.m / p.n;
    const Operand of_a{a[which], p.lda, p.of_a};
    const Operand of_b{b[which], p.ldb, p.of_b};
    using Wide =
        std::conditional_t<std::is_same_v<Sum, __half>, float, Sum>; // rounded once, at the end
    const Wide scale = converted<Wide>(factor.get());
    Wide sum{};
    for (int64_t step = 0; step < p.k && !is_zero(scale); ++step)
      sum = plus(
          sum, times(converted<Wide>(of_a.at(row, step)), converted<Wide>(of_b.at(step, column))));
    auto &element = c[which][row + column * p.ldc];
    element = blended(scale, sum, converted<Wide>(old.get()), element);
  });
}

/// y = alpha * op(A) x + beta * y.
template <class T>
cublasStatus_t multiply_vector(cublasHandle_t handle,
                               const char *name,
                               cublasOperation_t operation,
                               int64_t m,
                               int64_t n,
                               const T *alpha,
                               const T *a,
                               int64_t lda,
                               const T *x,
                               int64_t step_x,
                               const T *beta,
                               T *y,
                               int64_t step_y) {
  const cublasStatus_t refused = refusal(
      handle, {m, n}, lda >= (m > 1 ? m : 1) && step_x != 0 && step_y != 0 && alpha && beta);
  if (refused != CUBLAS_STATUS_SUCCESS)
    return refused;
  const int64_t rows = operation == CUBLAS_OP_N ? m : n, columns = operation == CUBLAS_OP_N ? n : m;
  const Factor<T> factor(handle, alpha), old(handle, beta);
  const Operand<T> matrix{a, lda, operation};
  const Vector<const T> in(x, columns, step_x);
  const Vector<T> out(y, rows, step_y);
  return for_each(handle, name, rows, [=](int64_t row) {
    T sum{};
    const T scale = factor.get();
    for (int64_t column = 0; column < columns && !is_zero(scale); ++column)
      sum = plus(sum, times(matrix.at(row, column), in[column]));
    out[row] = blended(scale, sum, old.get(), out[row]);
  });
}

/// The first, counted from 1, whose size no other one surpasses; 0 of none.
template <class T>
cublasStatus_t find_extreme(cublasHandle_t handle,
                            const char *name,
                            int64_t n,
                            const T *x,
                            int64_t step,
                            int *result,
                            bool greatest) {
  if (const cublasStatus_t refused = refusal(handle, {}, result != nullptr);
      refused != CUBLAS_STATUS_SUCCESS)
    return refused;
  return reduce(handle, name, result, [=] {
    int best = n > 0 && step > 0 ? 1 : 0;
    for (int64_t i = 1; i < n && step > 0; ++i) {
      const auto one = size_of(x[i * step]), other = size_of(x[(best - 1) * step]);
      if (greatest ? one > other : one < other)
        best = static_cast<int>(i + 1);
    }
    return best;
  });
}

} // namespace emu::blas
