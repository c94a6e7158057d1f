/// \file
/// What an observed program that is about to give up opening files has to do first.
#pragma once

namespace emu {

/// Opens the program's own file, which says of which lines it was made, and a CUDA source that lies in the folder in which
/// it runs. May be called before constructors have run; does nothing in a program that is not built for observation.
void open_program_file();

} // namespace emu
