#include "problem.hpp"

#include "traps/trap_all_on_one.cuh"
#include "traps/trap_device_fence.cuh"
#include "traps/trap_nccl_in_turn.cuh"
#include "traps/trap_no_peer_access.cuh"
#include "traps/trap_no_wait.cuh"
#include "traps/trap_other_device_current.cuh"
#include "traps/trap_own_first.cuh"
#include "traps/trap_waits_for_one.cuh"

namespace {

// Long enough on a GPU for one device to be at work while another one goes on.
constexpr lab::Case long_work = {.n = 1u << 22};
constexpr lab::Case short_work = {.n = 100003};

} // namespace

void register_traps(lab::Ladder<Vectors> &ladder) {
  const lab::Case work = lab::on_emulator() ? short_work : long_work;
  ladder.trap("trap_no_wait", trap_no_wait::run, trap_no_wait::why)
      .hazard("stream_race")
      .exposed_by(work)
      .may_be_right();
  ladder.trap("trap_own_first", trap_own_first::run, trap_own_first::why)
      .exposed_by({.n = 1000})
      .may_be_right(1);
  if (!ranks_have_devices())
    return; // on one device these are no mistakes, or can't be made
  ladder.trap("trap_waits_for_one", trap_waits_for_one::run, trap_waits_for_one::why)
      .check(trap_waits_for_one::check)
      .hazard("stream_race")
      .exposed_by(work)
      .may_be_right();
  ladder.trap("trap_device_fence", trap_device_fence::run, trap_device_fence::why)
      .check(trap_device_fence::check)
      .hazard("stream_race")
      .exposed_by({.n = 10007})
      .may_be_right();
  ladder
      .trap("trap_other_device_current",
            trap_other_device_current::run,
            trap_other_device_current::why)
      .check(trap_other_device_current::check)
      .exposed_by({.n = 1});
  ladder.trap("trap_all_on_one", trap_all_on_one::run, trap_all_on_one::why)
      .check(trap_all_on_one::check)
      .exposed_by({.n = 1});
  if (!no_nccl())
    ladder.trap("trap_nccl_in_turn", trap_nccl_in_turn::run, trap_nccl_in_turn::why)
        .check(trap_nccl_in_turn::check)
        .exposed_by({.n = 1});
  // The last one: device 0 has to be reset after it.
  auto last =
      ladder.trap("trap_no_peer_access", trap_no_peer_access::run, trap_no_peer_access::why);
  last.check(trap_no_peer_access::check).hazard("peer_pointer").exposed_by({.n = 1});
  if (lab::on_emulator()) // its devices' memory is the host's; the instruments tell it apart
    last.may_be_right(1);
}
