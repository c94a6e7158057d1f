/// @file
/// The vendor's product. cuBLAS comes with the CUDA toolkit; the emulator does not have it.
#pragma once

#include "problem.hpp"

#ifdef BF_HAVE_CUBLAS
void run_cublas(Matmul &p); ///< float, outside the tensor cores
void run_cublas_default(Matmul &p); ///< as cuBLAS is without being told
void run_cublas_tf32(Matmul &p); ///< on the tensor cores, factors rounded to 11 bits
void start_cublas(Matmul &); ///< makes the library's handle, outside the timed region
#endif
