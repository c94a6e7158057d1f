#include "demos/summations.cuh"

#include "demos/precision.hpp"

namespace {

template <class Sum> __global__ void multiply(Operands m) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m.M || col >= m.N)
    return;
  Sum sum;
  for (int k = 0; k < m.K; ++k)
    sum.add(m.A[row * m.lda + k], m.B[k * m.ldb + col]);
  m.C[row * m.ldc + col] = sum.result();
}

template <class Sum> void run(Matmul &p) {
  multiply<Sum><<<grid_of_tiles(p.plain.N, 256, p.plain.M, 1), 256>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace

const std::vector<Summation> &summations() {
  static const std::vector<Summation> all = {
      {"plain", "one after the other", run<PlainSum>},
      {"kahan", "Kahan", run<KahanSum>},
      {"neumaier", "Neumaier", run<NeumaierSum>},
      {"pairwise", "pairwise", run<PairwiseSum>},
      {"doubled", "Ogita, Rump and Oishi", run<DoubledSum>},
      {"tf32", "factors rounded to TF32", run<Tf32Sum>},
      {"in_double", "in double, rounded at the end", run<DoubleSum>},
  };
  return all;
}
