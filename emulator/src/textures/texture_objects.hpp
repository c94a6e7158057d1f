// Texture and surface objects behind their handles.
#pragma once

#include "emu/textures/texture_types.hpp"

namespace emu {

/// What an object needs to know of its memory.
struct Image {
  char *memory;
  cudaChannelFormatDesc format;
  size_t element; // bytes
  int width, height, depth; // elements
  size_t pitch, slice_pitch; // bytes
};

/// A texture object, or a surface object, of which only the first two are used.
struct ImageObject {
  static constexpr const char *destroyed_by =
      "cudaDestroyTextureObject or cudaDestroySurfaceObject";
  Image image;
  cudaResourceDesc resource;
  cudaTextureDesc sampler;
};

/// Part of cudaDeviceReset: textures and surfaces.
void destroy_objects();

inline ImageObject *image_object(unsigned long long handle) {
  return reinterpret_cast<ImageObject *>(handle);
}

} // namespace emu
