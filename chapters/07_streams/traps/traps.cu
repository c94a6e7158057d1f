#include "problem.hpp"

#include "traps/trap_first_call_timed.cuh"
#include "traps/trap_forgotten_stream.cuh"
#include "traps/trap_missing_event_wait.cuh"
#include "traps/trap_never_copied.cuh"
#include "traps/trap_read_too_early.cuh"
#include "traps/trap_shared_buffer.cuh"
#include "traps/trap_staging_reused.cuh"
#include "traps/trap_wait_before_record.cuh"
#include "traps/trap_wrong_direction.cuh"
#include "traps/trap_wrong_kind.cuh"

namespace {

// Long enough on a GPU for a copy to be still under way when the next call is made.
constexpr lab::Case long_copies = {.n = 1u << 18};

} // namespace

void register_traps(lab::Ladder<Batch> &ladder) {
  ladder.trap("trap_missing_event_wait", trap_missing_event_wait::run, trap_missing_event_wait::why)
      .hazard("stream_race")
      .exposed_by(long_copies)
      .may_be_right();
  ladder.trap("trap_wait_before_record", trap_wait_before_record::run, trap_wait_before_record::why)
      .hazard("stream_race")
      .exposed_by(long_copies)
      .may_be_right();
  ladder.trap("trap_shared_buffer", trap_shared_buffer::run, trap_shared_buffer::why)
      .hazard("stream_race")
      .exposed_by(long_copies)
      .may_be_right();
  ladder.trap("trap_staging_reused", trap_staging_reused::run, trap_staging_reused::why)
      .hazard("host_race")
      .exposed_by(long_copies)
      .may_be_right();
  ladder.trap("trap_read_too_early", trap_read_too_early::run, trap_read_too_early::why)
      .hazard("host_race")
      .exposed_by(long_copies)
      .may_be_right();
  ladder.trap("trap_forgotten_stream", trap_forgotten_stream::run, trap_forgotten_stream::why)
      .hazard("stream_race")
      .exposed_by(long_copies)
      .may_be_right();
  ladder.trap("trap_wrong_direction", trap_wrong_direction::run, trap_wrong_direction::why)
      .exposed_by({.n = 1});
  ladder.trap("trap_wrong_kind", trap_wrong_kind::run, trap_wrong_kind::why).exposed_by({.n = 1});
  ladder.trap("trap_never_copied", trap_never_copied::run, trap_never_copied::why)
      .exposed_by({.n = 2});
  ladder.trap("trap_first_call_timed", trap_first_call_timed::run, trap_first_call_timed::why)
      .check(trap_first_call_timed::check)
      .exposed_by({.n = 1});
}
