// Device 1 computes. The host waits for "the device", which is device 0.
#pragma once

#include "steps/v3_peer_loads.cuh"

namespace trap_waits_for_one {

inline const char *why = "cudaDeviceSynchronize waits for the device that is current, and for no "
                         "other one: device 1 is still "
                         "at work when the host fetches its result. Wait for the stream or for an "
                         "event, which know their "
                         "device, or make each device current in turn.";

inline void run(Vectors &p) {
  {
    const OnDevice current(p.team.device(1));
    v3::add_up<<<blocks_for(p.n), block, 0, p.team.stream(1)>>>(everyone(p), p.n, 1);
    LAB_CHECK_LAUNCH();
  }
  LAB_CHECK(cudaDeviceSynchronize());
  LAB_CHECK(cudaMemcpy(p.h_sum.data(), p.out[1].data(), p.bytes(), cudaMemcpyDeviceToHost));
}

inline lab::Verdict check(Vectors &p) {
  draw_order(0);
  synchronize_all();
  const auto terms = static_cast<size_t>(p.ranks());
  return lab::compare(
      p.h_sum, p.expected, lab::tolerance_for_sum<float>(terms + 1, static_cast<double>(terms)));
}

} // namespace trap_waits_for_one
