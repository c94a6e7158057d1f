/// \file
/// For programs of several processes.
#pragma once

#include <string>

namespace emu {

/// What the host waits for outside of CUDA and NCCL, "a message of rank 1 (sum.cu:17)"; empty: for nothing any
/// more. Ranks that wait for this one in vain can say so.
void host_waits_for(const std::string &what);

} // namespace emu
