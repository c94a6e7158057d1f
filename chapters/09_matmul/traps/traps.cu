#include "problem.hpp"

#include "demos/precision.hpp"
#include "traps/trap_k_rounds_down.cuh"
#include "traps/trap_kahan_sign.cuh"
#include "traps/trap_leading_dimension.cuh"
#include "traps/trap_missing_barrier.cuh"
#include "traps/trap_padding_not_zero.cuh"
#include "traps/trap_return_before_barrier.cuh"
#include "traps/trap_tile_without_test.cuh"

#include <cstdio>

namespace {

constexpr lab::Case shape(size_t rows, size_t cols) {
  return {.n = rows == cols ? rows : 0, .shape = {rows, cols}};
}

// Kahan's bound, 3 u of the sum of absolute values: a plain sum of 500 terms does not keep it.
lab::Verdict check_as_kahan(Matmul &p) {
  const lab::Verdict verdict = p.check();
  if (!verdict.ok)
    return verdict;
  const std::vector<float> C = p.d_C.download();
  for (size_t i = 0; i < C.size(); ++i) {
    const double off = C[i] - p.expected[i],
                 bound = 3.0 * lab::unit_roundoff<float>() * p.sum_abs[i];
    if (!(off <= bound && off >= -bound)) {
      char text[120];
      std::snprintf(text,
                    sizeof text,
                    "element %zu is off by %.1e; Kahan's is off by %.1e at most",
                    i,
                    off,
                    bound);
      return lab::Verdict::wrong(text);
    }
  }
  return lab::Verdict::right();
}

} // namespace

void register_traps(lab::Ladder<Matmul> &ladder) {
  ladder.trap("trap_missing_barrier", trap_missing_barrier::run, trap_missing_barrier::why)
      .hazard("shared_race")
      .exposed_by(shape(17, 17))
      .may_be_right();
  ladder
      .trap("trap_return_before_barrier",
            trap_return_before_barrier::run,
            trap_return_before_barrier::why)
      .hazard("uninitialised")
      .exposed_by(shape(17, 17))
      .may_be_right();
  ladder.trap("trap_tile_without_test", trap_tile_without_test::run, trap_tile_without_test::why)
      .exposed_by(shape(1, 1));
  ladder.trap("trap_k_rounds_down", trap_k_rounds_down::run, trap_k_rounds_down::why)
      .exposed_by(shape(1, 1));
  ladder.trap("trap_leading_dimension", trap_leading_dimension::run, trap_leading_dimension::why)
      .before(make_pitched)
      .check(check_pitched)
      .exposed_by(shape(2, 2));
  ladder.trap("trap_padding_not_zero", trap_padding_not_zero::run, trap_padding_not_zero::why)
      .before(make_padded)
      .check(check_padded)
      .exposed_by(shape(1, 1));
  ladder.trap("trap_kahan_sign", trap_kahan_sign::run, trap_kahan_sign::why)
      .check(check_as_kahan)
      .exposed_by(shape(8, 1000));
}
