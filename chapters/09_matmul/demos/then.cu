#include "demos/demos.hpp"
#include "steps/sums.cuh"

#include <cmath>
#include <string>
#include <tuple>

// The ladder of 2008, kernel by kernel, written anew: what its figures were measured with.
namespace kahan_2008 {

constexpr int BLOCK = 256; // threads
constexpr int TILE = 16;

// A thread for each element of C, numbered row by row.
template <class Sum> __global__ void one_index(Operands m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = i / m.N, col = i % m.N;
  if (row >= m.M)
    return;
  Sum sum;
  for (int k = 0; k < m.K; ++k)
    sum.add(m.A[row * m.lda + k], m.B[k * m.ldb + col]);
  m.C[row * m.ldc + col] = sum.result();
}

// A block for each row of C; all of that row of A lies in shared memory.
__global__ void row_of_A(Operands m) {
  extern __shared__ float s_row[];
  const int row = blockIdx.x;
  for (int k = threadIdx.x; k < m.K; k += BLOCK)
    s_row[k] = m.A[row * m.lda + k];
  __syncthreads();
  for (int col = threadIdx.x; col < m.N; col += BLOCK) {
    KahanSum sum;
    for (int k = 0; k < m.K; ++k)
      sum.add(s_row[k], m.B[k * m.ldb + col]);
    m.C[row * m.ldc + col] = sum.result();
  }
}

// 16 x 16 threads; with tests for the edges, or for matrices padded to whole tiles.
template <bool TESTED> __global__ void tiles(Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  KahanSum sum;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    const bool a_there = !TESTED || (row < m.M && k0 + x < m.K);
    const bool b_there = !TESTED || (k0 + y < m.K && col < m.N);
    s_A[y][x] = a_there ? m.A[row * m.lda + k0 + x] : 0.0f;
    s_B[y][x] = b_there ? m.B[(k0 + y) * m.ldb + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum.add(s_A[y][k], s_B[k][x]);
    __syncthreads();
  }
  if (!TESTED || (row < m.M && col < m.N))
    m.C[row * m.ldc + col] = sum.result();
}

template <class Sum> void run_one_index(const Operands &m) {
  one_index<Sum><<<ceil_div(m.M * m.N, BLOCK), BLOCK>>>(m);
}
void run_row_of_A(const Operands &m) {
  row_of_A<<<m.M, BLOCK, static_cast<size_t>(m.K) * sizeof(float)>>>(m);
}
template <bool TESTED> void run_tiles(const Operands &m) {
  tiles<TESTED><<<grid_of_tiles(m.N, TILE, m.M, TILE), dim3(TILE, TILE)>>>(m);
}

struct Then {
  const char *key, *name;
  void (*run)(const Operands &);
  enum { dense, pitched, padded } rows;
};
const Then ladder[] = {
    {"plain", "one element per thread, a plain sum", run_one_index<PlainSum>, Then::dense},
    {"naive", "one element per thread", run_one_index<KahanSum>, Then::dense},
    {"row", "a row of A in shared memory", run_row_of_A, Then::dense},
    {"pitched", "the same, cudaMallocPitch", run_row_of_A, Then::pitched},
    {"tiles", "tiles of 16 x 16", run_tiles<true>, Then::pitched},
    {"padded", "the same, padded, no ifs", run_tiles<false>, Then::padded}};

// Memory for a matrix of rows x cols floats, as the step wants its rows; `ld` is what came of it.
float *allocate(const Then &step, int rows, int cols, int &ld) {
  void *memory = nullptr;
  size_t pitch = static_cast<size_t>(cols) * sizeof(float);
  if (step.rows == Then::dense)
    LAB_CHECK(cudaMalloc(&memory, pitch * static_cast<size_t>(rows)));
  else
    LAB_CHECK(cudaMallocPitch(&memory, &pitch, pitch, static_cast<size_t>(rows)));
  if (step.rows == Then::padded) // its zeros are multiplied, too
    LAB_CHECK(cudaMemset(memory, 0, pitch * static_cast<size_t>(rows)));
  ld = static_cast<int>(pitch / sizeof(float));
  return static_cast<float *>(memory);
}

struct Took {
  double call, kernel; // milliseconds
};

// One call, as it was timed then: memory, copies in, the kernel, the copy out. C: the host's.
Took call(const Then &step, const Matmul &p, std::vector<float> &C) {
  const auto [M, N, K] = std::tuple(p.shape.M, p.shape.N, p.shape.K);
  const auto edge = [&](int n) { return step.rows == Then::padded ? ceil_div(n, TILE) * TILE : n; };
  const auto bytes = [](int floats) { return static_cast<size_t>(floats) * sizeof(float); };
  const auto rows = [](int n) { return static_cast<size_t>(n); };
  const lab::HostTimer timer;
  Operands m = {edge(M), edge(N), edge(K), 0, 0, 0, nullptr, nullptr, nullptr};
  float *const A = allocate(step, m.M, m.K, m.lda), *const B = allocate(step, m.K, m.N, m.ldb);
  m.C = allocate(step, m.M, m.N, m.ldc);
  m.A = A;
  m.B = B;
  LAB_CHECK(cudaMemcpy2D(
      A, bytes(m.lda), p.h_A.data(), bytes(K), bytes(K), rows(M), cudaMemcpyHostToDevice));
  LAB_CHECK(cudaMemcpy2D(
      B, bytes(m.ldb), p.h_B.data(), bytes(N), bytes(N), rows(K), cudaMemcpyHostToDevice));
  lab::EventTimer kernel;
  kernel.start();
  step.run(m);
  kernel.stop();
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpy2D(
      C.data(), bytes(N), m.C, bytes(m.ldc), bytes(N), rows(M), cudaMemcpyDeviceToHost));
  for (float *matrix : {A, B, m.C})
    LAB_CHECK(cudaFree(matrix));
  return {timer.ms(), kernel.ms()};
}

} // namespace kahan_2008

void show_kahan_2008(lab::Demo &demo) {
  using namespace kahan_2008;
  const int n = static_cast<int>(demo.n_or(demo.quick() ? 37 : lab::on_emulator() ? 100 : 1000));
  Matmul p({n, n, n}, demo.seed(), {0.0f, 1.0f});
  demo.say("C = A B, %d x %d: five of six with Kahan's sum, as in 2008\n\n", n, n);
  demo.say("  %-36s %21s %21s\n", "", "the whole call", "the kernel alone");
  demo.say("  %-36s %9s %11s %9s %11s\n", "", "ms", "GFLOP/s", "ms", "GFLOP/s");
  std::vector<float> C(p.expected.size());
  for (const Then &step : ladder) {
    std::vector<double> calls, kernels;
    for (int i = 0; i < (demo.quick() ? 1 : 9); ++i) {
      C.assign(C.size(), -1.0f);
      const Took took = call(step, p, C);
      if (i > 0 || demo.quick()) { // the first one warms up
        calls.push_back(took.call);
        kernels.push_back(took.kernel);
      }
    }
    bool right = true;
    for (size_t i = 0; i < C.size(); ++i)
      right = right && std::fabs(C[i] - p.expected[i]) <= product_tolerance(n) * p.sum_abs[i];
    demo.expect(right, (std::string(step.key) + " is the product").c_str());
    const double ms = lab::summarize(calls).median_ms, alone = lab::summarize(kernels).median_ms;
    const auto figure = [&](const char *what, double value) {
      demo.value(std::string(step.key) + what, value);
    };
    figure("_call_ms", ms);
    figure("_kernel_ms", alone);
    figure("_call_gflops", p.flops() / ms * 1e-6);
    figure("_kernel_gflops", p.flops() / alone * 1e-6);
    if (lab::on_emulator())
      demo.say("  %-36s %21s %21s\n", step.name, "right", "right");
    else
      demo.say("  %-36s %9.3f %11.1f %9.3f %11.1f\n",
               step.name,
               ms,
               p.flops() / ms * 1e-6,
               alone,
               p.flops() / alone * 1e-6);
  }
  demo.value("n", n);
}
