/// @file
/// The chapter's problem: C = A B, matrices of floats, stored row by row.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using std::size_t;

/// What a kernel gets. Row r of A begins at A + r * lda: so many elements lie between two rows,
/// which is K or more. Indices are ints: no matrix of this chapter has 2^31 elements.
struct Operands {
  int M, N, K; // A is M x K, B is K x N, C is M x N
  int lda, ldb, ldc; // leading dimensions
  const float *A, *B;
  float *C;
};

/// Rows, columns, what is summed over, and how many floats stand behind each row of A, B and C.
struct Shape3 {
  int M, N, K;
  int gap_a = 0, gap_b = 0, gap_c = 0;
};

/// How the inputs are drawn: multiples of 2^-23 between these bounds.
struct Range {
  float low = -1.0f, high = 1.0f;
};

/// The matrices in one of the three ways they are stored, and the memory they are in.
struct Stored {
  Operands operands = {};
  std::vector<lab::DeviceBuffer<char>> memory;
};

/// Two matrices, their product as the host knows it, and the device memory the steps need.
///
/// A, B and C lie between canaries, so that a kernel that writes outside is found out.
struct Matmul {
  explicit Matmul(const lab::Case &c);
  Matmul(const Shape3 &shape, std::uint64_t seed, Range range = {});
  Matmul(const Shape3 &shape, std::vector<float> A, std::vector<float> B); // with the gaps

  void prepare(); ///< poisons the outputs
  lab::Verdict check(); ///< is plain.C the product?
  lab::Verdict check(const Operands &m); ///< is m.C?
  double flops() const { return 2.0 * shape.M * shape.N * shape.K; }

  Shape3 shape;
  std::vector<float> h_A, h_B; // with the gaps
  std::vector<double> expected; // M x N, from plain loops in double
  std::vector<double> sum_abs; // M x N: the same loops over absolute values
  lab::GuardedBuffer<float> d_A, d_B, d_C; // all start at a multiple of 256 bytes

  Operands plain; // rows follow each other at once, or after the shape's gaps
  Stored pitched; // every row starts at a multiple of what the device likes: see make_pitched()
  Stored padded; // all edges are multiples of 32, zeros fill them up: see make_padded()
  lab::DeviceBuffer<unsigned> turns; // by which blocks take turns: see make_turns()
  cudaStream_t stream = nullptr; // of v18
};

/// Copies A and B to where every row starts at a multiple of 512 bytes or so (cudaMallocPitch).
void make_pitched(Matmul &p);
/// Copies A and B into zeros whose edges are multiples of 32.
void make_padded(Matmul &p);
/// Makes the words of shares.cuh, all 0. Each product that is computed at the same time has its own.
void make_turns(Matmul &p);
lab::Verdict check_pitched(Matmul &p);
lab::Verdict check_padded(Matmul &p);

/// How far a sum of K products of floats may be off, as a share of the sum of their absolute values.
///
/// The smaller of two bounds. Always true: gamma_K, K roundings in a row that all point the same way
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., eq. 3.5). True but for one case
/// in 10^10: 10 sqrt(K) u, because roundings that know nothing of each other mostly cancel (Higham
/// and Mary, A new approach to probabilistic rounding error analysis, 2019, Theorem 3.1).
double product_tolerance(int K);

/// a / b, rounded up.
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// Blocks that cover N columns and M rows with tiles of this many; one block at least.
inline dim3 grid_of_tiles(int N, int cols, int M, int rows) {
  return dim3(N > 0 ? ceil_div(N, cols) : 1, M > 0 ? ceil_div(M, rows) : 1);
}

/// C[row][col] and the sum of |A[row][k] B[k][col]|, on the host.
void multiply_on_host(const Operands &m, double *C, double *sum_abs);

/// The same by a plain kernel, for sizes at which the host would take minutes; operands on the
/// device, results on the host. 1000 of its elements are computed by the host, too.
///
/// @throws lab::Error when one of those differs
void multiply_in_double(const Operands &d_m, const Operands &h_m, double *C, double *sum_abs);

#ifdef BF_HAVE_CUBLAS // which comes with the CUDA toolkit: the emulator does not have it
void run_cublas(Matmul &p); ///< float, outside the tensor cores
void run_cublas_default(Matmul &p); ///< as cuBLAS is without being told
void run_cublas_tf32(Matmul &p); ///< on the tensor cores, factors rounded to 11 bits
void start_cublas(Matmul &); ///< makes the library's handle, outside the timed region
#endif

/// Adds the mistakes to the ladder.
void register_traps(lab::Ladder<Matmul> &ladder);
