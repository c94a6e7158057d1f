// CUDA arrays, textures and surfaces: descriptions and the calls that make them.
//
// An array lies in plain rows of memory; the order in which a device keeps its texels cannot be
// seen by a program. There are no mipmaps.
#pragma once

#include <type_traits>
#include <utility>

#include "emu/runtime/driver_types.hpp"

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

enum cudaChannelFormatKind : unsigned int {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};

/// Bits of up to four channels.
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};

enum cudaResourceType : unsigned int {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};

struct cudaMipmappedArray;
typedef cudaMipmappedArray *cudaMipmappedArray_t;
typedef const cudaArray *cudaArray_const_t;

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height; // elements
      size_t pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned int flags;
};
struct cudaResourceViewDesc;

enum cudaTextureAddressMode : unsigned int {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode : unsigned int {
  cudaFilterModePoint = 0,
  cudaFilterModeLinear = 1,
};
enum cudaTextureReadMode : unsigned int {
  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1,
};
enum cudaSurfaceBoundaryMode : unsigned int {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2,
};

struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

inline cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

namespace emu {

constexpr auto first_channel(const auto &element) {
  if constexpr (requires { element.x; })
    return element.x;
  else
    return element;
}
/// The numbers that an element consists of: one, or a vector's members.
template <class T> struct Channels {
  using Type = decltype(first_channel(std::declval<T>()));
  static constexpr int count = sizeof(T) / sizeof(Type);
  static_assert((count == 1 || count == 2 || count == 4) && sizeof(Type) <= 4 &&
                    std::is_arithmetic_v<Type>,
                "textures hold numbers of 8, 16 and 32 bits and vectors of them");
};

} // namespace emu

/// The format of an element of type T.
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = typename emu::Channels<T>::Type;
  constexpr int count = emu::Channels<T>::count, bits = 8 * sizeof(Channel);
  constexpr bool is_signed = std::is_signed_v<Channel> || std::is_same_v<Channel, char>;
  return {bits,
          count >= 2 ? bits : 0,
          count == 4 ? bits : 0,
          count == 4 ? bits : 0,
          std::is_floating_point_v<Channel> ? cudaChannelFormatKindFloat
          : is_signed                       ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}

// ------------------------------------------------------------------------- arrays

/// \param width, height  in elements; an array without height is one-dimensional
cudaError_t cudaMallocArray(cudaArray_t *array,
                            const cudaChannelFormatDesc *format,
                            size_t width,
                            size_t height = 0,
                            unsigned int flags = 0);
/// \param extent  in elements; of a layered array the depth is the number of layers, of a cubemap 6
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const cudaChannelFormatDesc *format,
                              cudaExtent extent,
                              unsigned int flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format,
                             cudaExtent *extent,
                             unsigned int *flags,
                             cudaArray_t array);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array);

// Offsets and widths along x are in bytes.
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to,
                                     size_t x,
                                     size_t y,
                                     const void *from,
                                     size_t from_pitch,
                                     size_t width,
                                     size_t height,
                                     cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to,
                                       size_t x,
                                       size_t y,
                                       const void *from,
                                       size_t from_pitch,
                                       size_t width,
                                       size_t height,
                                       cudaMemcpyKind kind) {
  return emu::then_wait(cudaMemcpy2DToArrayAsync(to, x, y, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to,
                                       size_t to_pitch,
                                       cudaArray_const_t from,
                                       size_t x,
                                       size_t y,
                                       size_t width,
                                       size_t height,
                                       cudaMemcpyKind kind,
                                       cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpy2DFromArray(void *to,
                                         size_t to_pitch,
                                         cudaArray_const_t from,
                                         size_t x,
                                         size_t y,
                                         size_t width,
                                         size_t height,
                                         cudaMemcpyKind kind) {
  return emu::then_wait(cudaMemcpy2DFromArrayAsync(to, to_pitch, from, x, y, width, height, kind));
}
/// Fills rows from the given place on.
cudaError_t cudaMemcpyToArray(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind);

// ------------------------------------------------------------------------- objects

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description,
                                    const cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *description,
                                            cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
