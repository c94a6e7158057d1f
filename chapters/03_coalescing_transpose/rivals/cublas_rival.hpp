/// @file
/// The vendor's transpose. cuBLAS comes with the CUDA toolkit; the emulator does not have it.
#pragma once

#include "problem.hpp"

#ifdef BF_HAVE_CUBLAS
void run_cublas(Matrix &p);
void start_cublas(Matrix &p); ///< makes the library's handle, outside the timed region
#endif
