#pragma once

#include "emu/engine/engine.hpp"

namespace emu {

/// Reports that the running lane is not in the mask that it calls with.
void complain_of_caller(unsigned mask, Site site);

} // namespace emu
