#include "problem.hpp"

#include "traps/trap_barrier_in_a_branch.cuh"
#include "traps/trap_missing_barrier.cuh"
#include "traps/trap_no_opt_in.cuh"
#include "traps/trap_not_zero.cuh"
#include "traps/trap_one_bank.cuh"
#include "traps/trap_pad_by_two.cuh"
#include "traps/trap_two_dynamic_arrays.cuh"

namespace {

// The result is right, so what is checked is what it cost.
lab::Verdict check_column_rounds(Transpose &p) {
  const lab::Verdict result = p.check();
  if (!result.ok)
    return result;
  const std::vector<unsigned> words = p.d_words.download();
  Request column;
  for (unsigned lane = 0; lane < 32; ++lane)
    column.index[lane] = words[lane];
  return lab::compare_value(
      "the transpose is right. Rounds of the banks to read a column", rounds(column), 1u);
}

} // namespace

void register_traps(lab::Ladder<Transpose> &ladder) {
  ladder.trap("trap_one_bank", trap_one_bank::run, trap_one_bank::why)
      .check(check_column_rounds)
      .exposed_by({.n = 32});
  ladder.trap("trap_pad_by_two", trap_pad_by_two::run, trap_pad_by_two::why)
      .check(check_column_rounds)
      .exposed_by({.n = 32});
  ladder.trap("trap_missing_barrier", trap_missing_barrier::run, trap_missing_barrier::why)
      .hazard("shared_race")
      .exposed_by({.n = 2})
      .may_be_right();
  ladder
      .trap(
          "trap_barrier_in_a_branch", trap_barrier_in_a_branch::run, trap_barrier_in_a_branch::why)
      .hazard("shared_race")
      .exposed_by({.n = 1})
      .may_be_right();
  ladder.trap("trap_not_zero", trap_not_zero::run, trap_not_zero::why)
      .hazard("uninitialised")
      .exposed_by({.n = 1})
      .may_be_right();
  ladder.trap("trap_two_dynamic_arrays", trap_two_dynamic_arrays::run, trap_two_dynamic_arrays::why)
      .hazard("shared_race")
      .exposed_by({.n = 2})
      .may_be_right();
  ladder.trap("trap_no_opt_in", trap_no_opt_in::run, trap_no_opt_in::why).exposed_by({.n = 1});
}
