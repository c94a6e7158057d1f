#include "problem.hpp"

#include "traps/trap_float4_past_the_end.cuh"
#include "traps/trap_load_before_test.cuh"
#include "traps/trap_missing_barrier.cuh"
#include "traps/trap_one_test_for_both.cuh"
#include "traps/trap_square_only.cuh"
#include "traps/trap_unaligned_float4.cuh"

namespace {

constexpr lab::Case shape(size_t rows, size_t cols) {
  return {.n = rows == cols ? rows : 0, .shape = {rows, cols}};
}

} // namespace

void register_traps(lab::Ladder<Matrix> &ladder) {
  ladder.trap("trap_square_only", trap_square_only::run, trap_square_only::why)
      .exposed_by(shape(1, 2));
  ladder.trap("trap_one_test_for_both", trap_one_test_for_both::run, trap_one_test_for_both::why)
      .hazard("uninitialised")
      .exposed_by(shape(2, 1));
  ladder.trap("trap_missing_barrier", trap_missing_barrier::run, trap_missing_barrier::why)
      .hazard("shared_race")
      .exposed_by(shape(2, 1))
      .may_be_right();
  ladder
      .trap(
          "trap_float4_past_the_end", trap_float4_past_the_end::run, trap_float4_past_the_end::why)
      .check(check_copy)
      .exposed_by(shape(1, 1));
  ladder.trap("trap_load_before_test", trap_load_before_test::run, trap_load_before_test::why)
      .check(check_copy)
      .hazard("out_of_bounds")
      .exposed_by(shape(1, 1))
      .may_be_right();
  ladder.trap("trap_unaligned_float4", trap_unaligned_float4::run, trap_unaligned_float4::why)
      .check(check_copy)
      .hazard("misaligned")
      .exposed_by(shape(2, 5));
}
