/// \file
/// What the program cuda_rewriter does.
#pragma once

namespace rewriter {

/// \return the exit status: 0 done, 1 an error of the source's or of its files, 2 wrong usage, else the compiler's
int command(int argc, char **argv);

} // namespace rewriter
