#include "demos/demos.hpp"

#include "demos/demo_asynchronous.cuh"
#include "demos/demo_balance.cuh"
#include "demos/demo_callbacks.cuh"
#include "demos/demo_default_stream.cuh"
#include "demos/demo_first_call.cuh"
#include "demos/demo_graphs.cuh"
#include "demos/demo_issue_order.cuh"
#include "demos/demo_kernels.cuh"
#include "demos/demo_late_errors.cuh"
#include "demos/demo_parts.cuh"
#include "demos/demo_pools.cuh"
#include "demos/demo_priorities.cuh"
#include "demos/demo_ranges.cuh"
#include "demos/demo_timeline.cuh"
#include "demos/demo_transfers.cuh"

void register_demos(lab::Ladder<Batch> &ladder) {
  ladder.demo("asynchronous", demo_asynchronous::run, "which calls wait, and which do not");
  ladder.demo("transfers", demo_transfers::run, "kinds of the host's memory, and the link");
  ladder.demo("parts", demo_parts::run, "how many parts: a model and what it took");
  ladder.demo("balance", demo_balance::run, "what a pipeline gains, by the work of the kernel");
  ladder.demo("timeline", demo_timeline::run, "when each part was where");
  ladder.demo("default_stream", demo_default_stream::run, "who waits for the default stream");
  ladder.demo("kernels", demo_kernels::run, "how many kernels at a time");
  ladder.demo("issue_order", demo_issue_order::run, "in which order work is asked for");
  ladder.demo("callbacks", demo_callbacks::run, "the host's functions in a stream").counted();
  ladder.demo("priorities", demo_priorities::run, "who goes first");
  ladder.demo("graphs", demo_graphs::run, "many tiny kernels, asked for at once");
  ladder.demo("pools", demo_pools::run, "memory that is made and freed in a stream");
  ladder.demo("ranges", demo_ranges::run, "names for what a profiler shows");
  ladder.demo("first_call", demo_first_call::run, "who pays for the first call");
  ladder.demo(
      "late_errors", demo_late_errors::run, "when a mistake is told, and by whom"); // the last
}
