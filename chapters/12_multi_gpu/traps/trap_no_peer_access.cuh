// v3, and device 0 was never allowed to reach the memory of device 1.
#pragma once

#include "steps/v3_peer_loads.cuh"

namespace trap_no_peer_access {

inline const char *why = "a pointer of another device is a valid address everywhere, but a kernel "
                         "may follow it only after "
                         "cudaDeviceEnablePeerAccess, called while the kernel's device is current; "
                         "access the other way is "
                         "another call. The kernel stops, and device 0 is lost to this program "
                         "until it is reset. Copies "
                         "need no permission: without it they go through the host.";

inline void run(Vectors &p) {
  LAB_CHECK(cudaDeviceDisablePeerAccess(p.team.device(1)));
  v3::add_up<<<blocks_for(p.n), block, 0, p.team.stream(0)>>>(everyone(p), p.n, 0);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaStreamSynchronize(p.team.stream(0)));
}

inline lab::Verdict check(Vectors &p) {
  const OnDevice current(p.team.device(0));
  LAB_CHECK(cudaDeviceEnablePeerAccess(p.team.device(1), 0));
  return lab::Verdict::right();
}

} // namespace trap_no_peer_access
