// Bulk copies have no time yet: a kernel that comes there is refused, by the function's name.
#pragma once

#include "emu/engine/phases.hpp"

namespace emu {

void begin_bulk_load(void *to, const void *from, size_t bytes, PhaseBarrier &until, Site site);

} // namespace emu
