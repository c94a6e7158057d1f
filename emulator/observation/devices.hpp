/// \file
/// How many devices the emulator has.
#pragma once

namespace emu {

/// Asks for so many devices, from 1 to 16, all alike. EMU_DEVICES=N in the environment wins over it.
/// To be called before anything of CUDA's: the first call that needs a device settles the number.
/// \return how many there are
int want_devices(int count);

} // namespace emu
