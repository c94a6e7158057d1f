// Reading textures, reading and writing surfaces: device functions.
#pragma once

#include "emu/engine/engine.hpp"
#include "emu/textures/texture_types.hpp"

namespace emu {

enum class TextureShape { row, one, two, three, layers_of_one, layers_of_two, cube, cubes };

/// Where to read. In a cube x, y, z are a direction.
struct TextureCoordinates {
  float x, y = 0, z = 0;
  int layer = 0; // or, of a row, the element's number
};

/// The channels of an element. Those that a texture lacks are 0, the fourth is 1.
struct Texel {
  float as_float[4] = {0, 0, 0, 0};
  int as_int[4] = {0, 0, 0, 0};
};
Texel read_texture(cudaTextureObject_t texture, TextureShape shape, const TextureCoordinates &at);

/// The memory of an element of a surface; null for one outside that is to be left alone.
/// \param x      in bytes
/// \param bytes  size of the access
void *surface_element(cudaSurfaceObject_t surface,
                      TextureShape shape,
                      int x,
                      int y,
                      int z,
                      size_t bytes,
                      cudaSurfaceBoundaryMode mode);

/// \tparam T  a number, or a vector of one, two or four
template <class T>
inline T texel(cudaTextureObject_t texture, TextureShape shape, const TextureCoordinates &at) {
  using Channel = typename Channels<T>::Type;
  const Texel read = read_texture(texture, shape, at);
  const auto channel = [&read](int i) {
    if constexpr (std::is_same_v<Channel, float>)
      return read.as_float[i];
    else
      return static_cast<Channel>(read.as_int[i]);
  };
  if constexpr (Channels<T>::count == 4)
    return {channel(0), channel(1), channel(2), channel(3)};
  else if constexpr (Channels<T>::count == 2)
    return {channel(0), channel(1)};
  else
    return {channel(0)};
}

} // namespace emu

// Each function also has a form that stores its result, and one that names a level of detail, of
// which there is one.
#define EMU_TEXTURE(NAME, SHAPE, PARAMETERS, ARGUMENTS, ...) \
  template <class T> inline T NAME(cudaTextureObject_t texture, PARAMETERS) { \
    return emu::texel<T>(texture, emu::TextureShape::SHAPE, __VA_ARGS__); \
  } \
  template <class T> inline void NAME(T *result, cudaTextureObject_t texture, PARAMETERS) { \
    *result = NAME<T>(texture, ARGUMENTS); \
  }
#define EMU_TEXTURE_LEVELS(NAME, SHAPE, PARAMETERS, ARGUMENTS, ...) \
  EMU_TEXTURE(NAME, SHAPE, EMU_LIST(PARAMETERS), EMU_LIST(ARGUMENTS), __VA_ARGS__) \
  template <class T> \
  inline T NAME##Lod(cudaTextureObject_t texture, PARAMETERS, float /*level*/) { \
    return NAME<T>(texture, ARGUMENTS); \
  }
#define EMU_LIST(...) __VA_ARGS__
EMU_TEXTURE(tex1Dfetch, row, int i, i, {0, 0, 0, i})
EMU_TEXTURE_LEVELS(tex1D, one, float x, x, {x})
EMU_TEXTURE_LEVELS(tex2D, two, EMU_LIST(float x, float y), EMU_LIST(x, y), {x, y})
EMU_TEXTURE_LEVELS(tex3D, three, EMU_LIST(float x, float y, float z), EMU_LIST(x, y, z), {x, y, z})
EMU_TEXTURE_LEVELS(
    tex1DLayered, layers_of_one, EMU_LIST(float x, int layer), EMU_LIST(x, layer), {x, 0, 0, layer})
EMU_TEXTURE_LEVELS(tex2DLayered,
                   layers_of_two,
                   EMU_LIST(float x, float y, int layer),
                   EMU_LIST(x, y, layer),
                   {x, y, 0, layer})
EMU_TEXTURE_LEVELS(
    texCubemap, cube, EMU_LIST(float x, float y, float z), EMU_LIST(x, y, z), {x, y, z})
EMU_TEXTURE_LEVELS(texCubemapLayered,
                   cubes,
                   EMU_LIST(float x, float y, float z, int layer),
                   EMU_LIST(x, y, z, layer),
                   {x, y, z, layer})
#undef EMU_TEXTURE
#undef EMU_TEXTURE_LEVELS

// What lies behind a surface is no memory that a pointer could reach: its accesses are not those of
// the kernel's line, and what is outside is found by surface_element.
#define EMU_SURFACE(NAME, SHAPE, PARAMETERS, ARGUMENTS, X, Y, Z) \
  template <class T> \
  EMU_UNOBSERVED inline T NAME##read(cudaSurfaceObject_t surface, \
                                     PARAMETERS, \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    const void *element = \
        emu::surface_element(surface, emu::TextureShape::SHAPE, X, Y, Z, sizeof(T), mode); \
    T value{}; \
    if (element) \
      __builtin_memcpy(&value, element, sizeof value); \
    return value; \
  } \
  template <class T> \
  inline void NAME##read(T *result, \
                         cudaSurfaceObject_t surface, \
                         PARAMETERS, \
                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *result = NAME##read<T>(surface, ARGUMENTS, mode); \
  } \
  template <class T> \
  EMU_UNOBSERVED inline void NAME##write(T value, \
                                         cudaSurfaceObject_t surface, \
                                         PARAMETERS, \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    void *element = \
        emu::surface_element(surface, emu::TextureShape::SHAPE, X, Y, Z, sizeof(T), mode); \
    if (element) \
      __builtin_memcpy(element, &value, sizeof value); \
  }
EMU_SURFACE(surf1D, one, int x, x, x, 0, 0)
EMU_SURFACE(surf2D, two, EMU_LIST(int x, int y), EMU_LIST(x, y), x, y, 0)
EMU_SURFACE(surf3D, three, EMU_LIST(int x, int y, int z), EMU_LIST(x, y, z), x, y, z)
EMU_SURFACE(
    surf1DLayered, layers_of_one, EMU_LIST(int x, int layer), EMU_LIST(x, layer), x, 0, layer)
EMU_SURFACE(surf2DLayered,
            layers_of_two,
            EMU_LIST(int x, int y, int layer),
            EMU_LIST(x, y, layer),
            x,
            y,
            layer)
#undef EMU_SURFACE
#undef EMU_LIST
