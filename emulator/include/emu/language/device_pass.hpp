// Included where a CUDA source is preprocessed as nvcc does it for a device.
// For an H200, unless the command says for what: see rewriter/arguments.hpp.
#ifdef EMU_CUDA_ARCH
#define __CUDA_ARCH__ EMU_CUDA_ARCH
#else
#define __CUDA_ARCH__ 900
#endif
