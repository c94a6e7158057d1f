// Included where a CUDA source is preprocessed as nvcc does it for a device.
#define __CUDA_ARCH__ 800
