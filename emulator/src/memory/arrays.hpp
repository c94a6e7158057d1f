// CUDA arrays behind their handles.
#pragma once

#include "emu/textures/texture_types.hpp"

struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent; // elements, as asked for: 0 where there is no such dimension
  unsigned flags;
  size_t element; // bytes
  char *memory;

  size_t width() const { return extent.width; }
  size_t height() const { return extent.height > 0 ? extent.height : 1; }
  size_t depth() const { return extent.depth > 0 ? extent.depth : 1; }
  size_t pitch() const { return extent.width * element; } // bytes
};

namespace emu {

/// Bytes of an element; 0 for a format that there is not.
size_t element_size(const cudaChannelFormatDesc &format);

bool is_array(cudaArray_const_t array);
/// Part of cudaDeviceReset.
void destroy_arrays();

/// The array as memory that can be copied from and to.
cudaPitchedPtr pitched(cudaArray_const_t array);

} // namespace emu
