#include "problem.hpp"

#include "traps/trap_cap_512.cuh"
#include "traps/trap_early_return.cuh"
#include "traps/trap_half_pairs.cuh"
#include "traps/trap_in_place_race.cuh"
#include "traps/trap_past_the_end.cuh"
#include "traps/trap_volatile_tail.cuh"

void register_traps(lab::Ladder<Reduction> &ladder) {
  ladder.trap("trap_in_place_race", trap_in_place_race::run, trap_in_place_race::why)
      .before(copy_input_on_device)
      .hazard("global_race")
      .exposed_by({.n = 1024, .block = 1024})
      .may_be_right();
  ladder.trap("trap_early_return", trap_early_return::run, trap_early_return::why)
      .hazard("uninitialised")
      .exposed_by({.n = 33, .block = 64})
      .may_be_right();
  ladder.trap("trap_half_pairs", trap_half_pairs::run, trap_half_pairs::why)
      .exposed_by({.n = 1, .block = 32});
  ladder.trap("trap_volatile_tail", trap_volatile_tail::run, trap_volatile_tail::why)
      .hazard("shared_race")
      .exposed_by({.n = 4, .block = 64})
      .may_be_right();
  ladder.trap("trap_cap_512", trap_cap_512::run, trap_cap_512::why)
      .exposed_by({.n = 513, .block = 1024});
  ladder.trap("trap_past_the_end", trap_past_the_end::run, trap_past_the_end::why)
      .exposed_by({.n = 1, .block = 32});
}
