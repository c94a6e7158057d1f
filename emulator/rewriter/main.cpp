/// \file
/// cuda_rewriter: compiles a CUDA source for the CPU emulator.
///
///     cuda_rewriter [ccache] g++ [options] -isystem emulator/include … -c FILE.cu -o FILE.o
///
/// The compiler preprocesses the source, what comes out is rewritten as C++, and the compiler compiles
/// that. Its command stands behind this program's name, as behind ccache's; a command that compiles no
/// CUDA is run as it is. Of nvcc's options it knows --expt-relaxed-constexpr, and -arch and
/// -gencode for what __CUDA_ARCH__ is in a device's pass. With EMU_KEEP=1 the C++ stays beside FILE.o.
///
///     cuda_rewriter --prepare TEXT.ii g++ … -c FILE.cu -o FILE.o
///     cuda_rewriter --finish TEXT.ii g++ … -c FILE.cu -o FILE.o
///
/// The same in two steps, for whoever looks at the text in between: --prepare writes what the preprocessor makes of the
/// source into TEXT.ii, and where the source asks which pass it is in, what a device's pass makes of it into
/// TEXT.ii.device; --finish rewrites and compiles these and reads FILE.cu no more. Assembler that is not a GPU's it refuses.

#include "command.hpp"

int main(int argc, char **argv) { return rewriter::command(argc, argv); }
