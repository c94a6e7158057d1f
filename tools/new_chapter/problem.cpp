#include "problem.hpp"

Problem::Problem(const lab::Case &c) : n(static_cast<unsigned>(c.n)), in(c.n), out(c.n) {
  if (c.block > 0)
    block = c.block;
  std::vector<float> numbers(n);
  for (unsigned i = 0; i < n; ++i) {
    numbers[i] = lab::random_float(c.seed, i, -1000.0f, 1000.0f);
    expected.push_back(numbers[i] + numbers[i]);
  }
  in.upload(numbers);
}

// A doubling is exact: every bit has to be right.
lab::Verdict Problem::check() { return lab::compare(out.download(), expected, lab::exact()); }
