// NVTX: names for pieces of a program, for Nsight Systems to show. Nobody listens here, as on a GPU
// when no profiler does; ranges are still counted, so that one that was never closed is noticed.
#pragma once

#define NVTX_VERSION 3

namespace emu {

inline thread_local int open_ranges = 0;

} // namespace emu

/// Opens a range. \return how many were open before, or negative
inline int nvtxRangePushA(const char * /*name*/) { return emu::open_ranges++; }
/// Closes the last one that was opened by this thread. \return how many are open still, or negative
inline int nvtxRangePop() { return emu::open_ranges > 0 ? --emu::open_ranges : -2; }
/// Marks a moment.
inline void nvtxMarkA(const char * /*name*/) {}

#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
