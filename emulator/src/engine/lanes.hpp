#pragma once

#include "engine/block.hpp"

namespace emu {

/// Reports that the running lane is not in the mask that it calls with.
void complain_of_caller(unsigned mask, Site site);
/// Reports that it comes for something else than who came to the meeting last.
void complain_of_meeting(const Meeting &meeting, Meet meet, Site site);

} // namespace emu
