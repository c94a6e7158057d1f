/// \file
/// Launches: whether they are possible, and when they run.
#pragma once

#include "emu/engine/launch.hpp"

namespace emu {

/// The launch that this host thread asks for, until it is known to be possible; null: none.
extern thread_local const LaunchConfig *launch_in_question;

} // namespace emu
