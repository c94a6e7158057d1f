#include "problem.hpp"

#include "traps/trap_host_pointer.cuh"
#include "traps/trap_no_synchronise.cuh"
#include "traps/trap_prefetch_nowhere.cuh"
#include "traps/trap_prefetch_to_host.cuh"
#include "traps/trap_write_too_early.cuh"

void register_traps(lab::Ladder<VectorSum> &ladder) {
  ladder.trap("trap_no_synchronise", trap_no_synchronise::run, trap_no_synchronise::why)
      .hazard("host_race")
      .exposed_by({.n = 1, .block = 32})
      .may_be_right();
  ladder.trap("trap_write_too_early", trap_write_too_early::run, trap_write_too_early::why)
      .before(trap_write_too_early::restore)
      .hazard("host_race")
      .exposed_by({.n = 1, .block = 32})
      .may_be_right();
  ladder.trap("trap_prefetch_to_host", trap_prefetch_to_host::run, trap_prefetch_to_host::why)
      .check(trap_prefetch_to_host::check)
      .exposed_by({.n = 1, .block = 32});
  ladder.trap("trap_prefetch_nowhere", trap_prefetch_nowhere::run, trap_prefetch_nowhere::why)
      .check(trap_prefetch_nowhere::check)
      .exposed_by({.n = 1, .block = 32});
  ladder.trap("trap_host_pointer", trap_host_pointer::run, trap_host_pointer::why)
      .check(trap_host_pointer::check)
      .exposed_by({.n = 1, .block = 32});
}
