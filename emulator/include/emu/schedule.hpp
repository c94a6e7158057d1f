/// \file
/// In which of the orders that CUDA allows streams do their work.
///
/// A plain program does everything at once, in the order of its calls: kind to one that forgot to
/// wait. A seed draws another order, the same one for each run with that seed: what a stream has
/// to do is queued, and done when somebody waits for it, or some time before. EMU_SCHEDULE=SEED
/// does so for the whole program.
#pragma once

#include <cstdint>

namespace emu {

/// Waits for everything; from here on the seed draws (0: everything at once). In programs that are
/// built for observation it is threads and blocks whose order is drawn; there, streams need none:
/// what is found does not depend on it.
void set_schedule(uint64_t seed);

/// The seed that draws; 0: none.
uint64_t schedule_seed();

} // namespace emu
