#include "problem.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

namespace {

// What a trap reads or writes outside still lies inside.
constexpr size_t guard = 1024;

// Beyond this many multiply-adds the reference is computed on the device.
constexpr double host_is_fast_enough = 3e7;

Shape3 shape_of(const lab::Case &c) {
  // --n gives an edge, or rows and columns; then the sum has about as many terms as those.
  const int M = static_cast<int>(c.shape.rows), N = static_cast<int>(c.shape.cols);
  return {M, N, c.shape.square() ? M : (M + N) / 2};
}

size_t elements(int rows, int ld) { return static_cast<size_t>(rows) * static_cast<size_t>(ld); }

std::vector<float> random_values(size_t n, std::uint64_t seed, Range range) {
  std::vector<float> values(n);
  lab::fill_random(values.data(), n, seed, range.low, range.high);
  return values;
}

// A matrix of rows x cols in memory of its own, with its rows `ld` floats apart.
float *store(Stored &stored,
             const std::vector<float> &source,
             int rows,
             int cols,
             int source_ld,
             int all_rows,
             int ld) {
  stored.memory.emplace_back(elements(all_rows, ld) * sizeof(float));
  lab::DeviceBuffer<char> &memory = stored.memory.back();
  float *const data = reinterpret_cast<float *>(memory.data());
  if (memory.bytes() > 0)
    LAB_CHECK(cudaMemset(data, 0, memory.bytes()));
  if (rows > 0 && cols > 0 && !source.empty())
    LAB_CHECK(cudaMemcpy2D(data,
                           static_cast<size_t>(ld) * sizeof(float),
                           source.data(),
                           static_cast<size_t>(source_ld) * sizeof(float),
                           static_cast<size_t>(cols) * sizeof(float),
                           static_cast<size_t>(rows),
                           cudaMemcpyHostToDevice));
  return data;
}

// How far apart this device wants the rows of a matrix with `cols` columns to start, in floats.
int pitch_for(int cols) {
  void *memory = nullptr;
  size_t pitch = 0;
  LAB_CHECK(cudaMallocPitch(&memory, &pitch, static_cast<size_t>(cols) * sizeof(float), 1));
  LAB_CHECK(cudaFree(memory));
  return static_cast<int>(pitch / sizeof(float));
}

int up_to_32(int edge) { return ceil_div(edge, 32) * 32; }

} // namespace

double product_tolerance(int K) {
  const double u = lab::unit_roundoff<float>();
  return std::fmin(lab::gamma(K, u), 10.0 * std::sqrt(static_cast<double>(K)) * u);
}

Matmul::Matmul(const lab::Case &c) : Matmul(shape_of(c), c.seed) {}

Matmul::Matmul(const Shape3 &s, std::uint64_t seed, Range range)
    : Matmul(s,
             random_values(elements(s.M, s.K + s.gap_a), seed, range),
             random_values(elements(s.K, s.N + s.gap_b), seed + 1, range)) {}

Matmul::Matmul(const Shape3 &s, std::vector<float> A, std::vector<float> B)
    : shape(s), h_A(std::move(A)), h_B(std::move(B)), expected(elements(s.M, s.N)),
      sum_abs(elements(s.M, s.N)), d_A(h_A.size(), guard), d_B(h_B.size(), guard),
      d_C(elements(s.M, s.N + s.gap_c), guard), plain{s.M,
                                                      s.N,
                                                      s.K,
                                                      s.K + s.gap_a,
                                                      s.N + s.gap_b,
                                                      s.N + s.gap_c,
                                                      d_A.data(),
                                                      d_B.data(),
                                                      d_C.data()} {
  // Other bytes than those beside C: what a kernel carries from the one into the other is seen.
  lab::poison(d_A.data() - guard, d_A.size() + 2 * guard);
  lab::poison(d_B.data() - guard, d_B.size() + 2 * guard);
  d_A.upload(h_A);
  d_B.upload(h_B);
  Operands host = plain;
  host.A = h_A.data();
  host.B = h_B.data();
  if (lab::being_modelled())
    return; // nobody will look at what is right
  if (flops() > 2.0 * host_is_fast_enough)
    multiply_in_double(plain, host, expected.data(), sum_abs.data());
  else
    multiply_on_host(host, expected.data(), sum_abs.data());
}

void Matmul::prepare() {
  lab::poison(d_C.data(), d_C.size());
  for (Stored *stored : {&pitched, &padded})
    if (!stored->memory.empty())
      lab::poison(reinterpret_cast<float *>(stored->memory.back().data()),
                  stored->memory.back().size() / sizeof(float));
}

lab::Verdict Matmul::check() {
  if (lab::Verdict verdict = check(plain); !verdict.ok)
    return verdict;
  if (!d_C.intact())
    return lab::Verdict::wrong("all elements are right, but something was written outside");
  return lab::Verdict::right();
}

lab::Verdict Matmul::check(const Operands &m) {
  std::vector<float> C(elements(shape.M, m.ldc));
  lab::detail::copy(C.data(), m.C, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
  const double tolerance = product_tolerance(shape.K);
  for (int row = 0; row < shape.M; ++row) {
    const float *const c = C.data() + elements(row, m.ldc);
    const double *const e = expected.data() + elements(row, shape.N);
    const double *const s = sum_abs.data() + elements(row, shape.N);
    for (int col = 0; col < shape.N; ++col)
      if (!(std::fabs(double(c[col]) - e[col]) <= tolerance * s[col])) {
        char text[160];
        std::snprintf(text,
                      sizeof text,
                      "C (row %d, col %d): expected %.7g +- %.1e, got %.7g",
                      row,
                      col,
                      e[col],
                      tolerance * s[col],
                      double(c[col]));
        return lab::Verdict::wrong(text);
      }
    if (&m == &plain)
      for (int col = shape.N; col < m.ldc; ++col)
        if (!std::isnan(c[col])) // prepare() left NaN there
          return lab::Verdict::wrong("row " + std::to_string(row) +
                                     ": something was written behind its last column");
  }
  return lab::Verdict::right();
}

void make_pitched(Matmul &p) {
  if (!p.pitched.memory.empty())
    return;
  const Shape3 &s = p.shape;
  Operands &m = p.pitched.operands;
  m = {s.M, s.N, s.K, pitch_for(s.K), pitch_for(s.N), pitch_for(s.N), nullptr, nullptr, nullptr};
  m.A = store(p.pitched, p.h_A, s.M, s.K, p.plain.lda, s.M, m.lda);
  m.B = store(p.pitched, p.h_B, s.K, s.N, p.plain.ldb, s.K, m.ldb);
  m.C = store(p.pitched, {}, s.M, s.N, 0, s.M, m.ldc);
  p.prepare();
}

void make_padded(Matmul &p) {
  if (!p.padded.memory.empty())
    return;
  const Shape3 &s = p.shape;
  const int M = up_to_32(s.M), N = up_to_32(s.N), K = up_to_32(s.K);
  Operands &m = p.padded.operands;
  m = {M, N, K, K, N, N, nullptr, nullptr, nullptr};
  m.A = store(p.padded, p.h_A, s.M, s.K, p.plain.lda, M, K);
  m.B = store(p.padded, p.h_B, s.K, s.N, p.plain.ldb, K, N);
  m.C = store(p.padded, {}, M, N, 0, M, N);
  p.prepare();
}

void make_turns(Matmul &p) {
  if (p.turns.size() > 0)
    return;
  // One for the parts drawn, and one for each tile that is cut: fewer than multiprocessors.
  p.turns = lab::DeviceBuffer<unsigned>(1 + static_cast<size_t>(lab::choose_device().sm_count));
  LAB_CHECK(cudaMemset(p.turns.data(), 0, p.turns.bytes()));
}

lab::Verdict check_pitched(Matmul &p) { return p.check(p.pitched.operands); }
lab::Verdict check_padded(Matmul &p) { return p.check(p.padded.operands); }
