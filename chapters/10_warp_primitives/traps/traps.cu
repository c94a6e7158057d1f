#include "problem.hpp"

#include "traps/trap_ballot_in_branch.cuh"
#include "traps/trap_group_in_branch.cuh"
#include "traps/trap_half_a_mask.cuh"
#include "traps/trap_no_syncwarp.cuh"
#include "traps/trap_source_not_there.cuh"

// The emulator runs lanes in the same order each time, and says what is wrong with each run.
constexpr int tries = lab::on_emulator() ? 1 : 20;

void register_traps(lab::Ladder<Scan> &ladder) {
  ladder.trap("trap_half_a_mask", trap_half_a_mask::run, trap_half_a_mask::why)
      .hazard("invalid_shuffle")
      .exposed_by({.n = 17, .block = 32})
      .may_be_right(tries);
  ladder.trap("trap_source_not_there", trap_source_not_there::run, trap_source_not_there::why)
      .check(trap_source_not_there::check)
      .hazard("invalid_shuffle")
      .exposed_by({.n = 1, .block = 32})
      .may_be_right(tries);
  ladder.trap("trap_no_syncwarp", trap_no_syncwarp::run, trap_no_syncwarp::why)
      .hazard("shared_race")
      .exposed_by({.n = 3, .block = 32})
      .may_be_right(tries);
  ladder.trap("trap_ballot_in_branch", trap_ballot_in_branch::run, trap_ballot_in_branch::why)
      .hazard("global_race")
      .exposed_by({.n = 3, .block = 32});
  ladder.trap("trap_group_in_branch", trap_group_in_branch::run, trap_group_in_branch::why)
      .hazard("invalid_shuffle")
      .exposed_by({.n = 2, .block = 32})
      .may_be_right(tries);
}
