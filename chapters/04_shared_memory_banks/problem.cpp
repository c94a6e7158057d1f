#include "problem.hpp"

namespace {

std::vector<float> random_values(size_t n, std::uint64_t seed) {
  std::vector<float> values(n);
  lab::fill_random(values.data(), n, seed);
  return values;
}

std::vector<float> transposed(const std::vector<float> &in, size_t rows, size_t cols) {
  std::vector<float> out(in.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t col = 0; col < cols; ++col)
      out[col * rows + row] = in[row * cols + col];
  return out;
}

} // namespace

Transpose::Transpose(const lab::Case &c)
    : rows(c.shape.rows), cols(c.shape.cols), h_in(random_values(rows * cols, c.seed)),
      expected(transposed(h_in, rows, cols)), d_in(rows * cols), d_out(rows * cols), d_words(32) {
  d_in.upload(h_in);
}

void Transpose::prepare() {
  lab::poison(d_out);
  lab::poison(d_words);
}

lab::Verdict Transpose::check() {
  return lab::compare(d_out.download(), expected, lab::exact(), rows);
}

lab::Verdict check_copy(Transpose &p) {
  return lab::compare(p.d_out.download(), p.h_in, lab::exact(), p.cols);
}
