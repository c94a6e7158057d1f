#include "problem.hpp"

namespace {

// As wide as the widest tile's rows: what a trap reads or writes outside still lies inside.
constexpr size_t guard = 1024;

std::vector<float> random_values(size_t n, std::uint64_t seed) {
  std::vector<float> values(n);
  lab::fill_random(values.data(), n, seed);
  return values;
}

lab::Verdict check_against(Matrix &p, const std::vector<float> &expected, size_t width) {
  const lab::Verdict verdict = lab::compare(p.d_out.download(), expected, lab::exact(), width);
  if (!verdict.ok)
    return verdict;
  if (!p.d_out.intact())
    return lab::Verdict::wrong("all elements are right, but something was written outside");
  return lab::Verdict::right();
}

} // namespace

std::vector<float> transposed(const std::vector<float> &in, size_t rows, size_t cols) {
  std::vector<float> out(in.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t col = 0; col < cols; ++col)
      out[col * rows + row] = in[row * cols + col];
  return out;
}

Matrix::Matrix(const lab::Case &c)
    : rows(c.shape.rows), cols(c.shape.cols), h_in(random_values(rows * cols, c.seed)),
      expected(transposed(h_in, rows, cols)), d_in(rows * cols, guard), d_out(rows * cols, guard) {
  // The strips beside the input hold other bytes than those beside the output: what a kernel carries
  // from the one into the other is seen there.
  lab::poison(d_in.data() - guard, d_in.size() + 2 * guard);
  d_in.upload(h_in);
}

void Matrix::prepare() { lab::poison(d_out.data(), d_out.size()); }

lab::Verdict Matrix::check() { return check_against(*this, expected, rows); }

lab::Verdict check_copy(Matrix &p) { return check_against(p, p.h_in, p.cols); }
