/// \file
/// Launches: deals the blocks of a grid to host threads and collects what went wrong.
#pragma once

#include "emu/errors.hpp"
#include "emu/launch.hpp"

namespace emu {

/// The first error of the running launch wins; blocks not yet begun are then skipped.
void record_failure(cudaError_t error);

/// The launch that this host thread asks for, until it is known to be possible; null: none.
extern thread_local const LaunchConfig *launch_in_question;

/// Number of host threads that run blocks: EMU_THREADS, else the number of cores.
int worker_count();

} // namespace emu
