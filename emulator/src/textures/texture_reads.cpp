// How a texture is read: addresses, filters, conversions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "emu/math/float16_rounding.hpp"
#include "emu/runtime/errors.hpp"
#include "emu/textures/textures.hpp"
#include "textures/texture_objects.hpp"

namespace emu {

namespace {

template <class T> int load_as_int(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<int>(value);
}

void read_channel(Texel &texel, int channel, const char *from, int bits, const ImageObject &o) {
  const cudaChannelFormatKind kind = o.image.format.f;
  if (kind == cudaChannelFormatKindFloat) {
    if (bits == 32)
      std::memcpy(&texel.as_float[channel], from, sizeof(float));
    else
      texel.as_float[channel] =
          widen<HalfFormat>(static_cast<uint16_t>(load_as_int<unsigned short>(from)));
    return;
  }
  const bool is_signed = kind == cudaChannelFormatKindSigned;
  const int value =
      bits == 8    ? is_signed ? load_as_int<signed char>(from) : load_as_int<unsigned char>(from)
         : bits == 16 ? is_signed ? load_as_int<short>(from) : load_as_int<unsigned short>(from)
                      : load_as_int<int>(from);
  texel.as_int[channel] = value;
  if (o.sampler.readMode == cudaReadModeNormalizedFloat && bits < 32) {
    // To [0, 1], or to [-1, 1]: the lowest number becomes -1 like its neighbour.
    const int greatest = (1 << (is_signed ? bits - 1 : bits)) - 1;
    texel.as_float[channel] =
        std::max(static_cast<float>(value) / static_cast<float>(greatest), -1.0f);
  }
}

/// The element's number along one axis, or -1 for the border.
int resolve(int i, int count, cudaTextureAddressMode mode, bool normalized) {
  if (i >= 0 && i < count)
    return i;
  if (mode == cudaAddressModeBorder)
    return -1;
  if (normalized && mode == cudaAddressModeWrap)
    return (i % count + count) % count;
  if (normalized && mode == cudaAddressModeMirror) {
    const int place = (i % (2 * count) + 2 * count) % (2 * count);
    return place < count ? place : 2 * count - 1 - place;
  }
  return std::clamp(i, 0, count - 1);
}

Texel element(const ImageObject &o, int x, int y, int z) {
  Texel texel;
  const int bits[] = {o.image.format.x, o.image.format.y, o.image.format.z, o.image.format.w};
  if (x < 0 || y < 0 || z < 0) {
    for (int channel = 0; channel < 4; ++channel) {
      texel.as_float[channel] = o.sampler.borderColor[channel];
      std::memcpy(&texel.as_int[channel], &o.sampler.borderColor[channel], sizeof(int));
    }
    return texel;
  }
  const char *from = o.image.memory + static_cast<size_t>(z) * o.image.slice_pitch +
                     static_cast<size_t>(y) * o.image.pitch +
                     static_cast<size_t>(x) * o.image.element;
  for (int channel = 0; channel < 4; ++channel) {
    if (bits[channel] == 0) {
      texel.as_float[channel] = channel == 3 ? 1.0f : 0.0f;
      texel.as_int[channel] = channel == 3 ? 1 : 0;
    } else {
      read_channel(texel, channel, from, bits[channel], o);
      from += bits[channel] / 8;
    }
  }
  return texel;
}

/// Along one axis: the two elements that a coordinate lies between, and how far it is on its way.
struct Between {
  int low, high;
  float fraction;
};

Between locate(float coordinate, int count, const cudaTextureDesc &s, int axis) {
  const bool normalized = s.normalizedCoords != 0;
  const cudaTextureAddressMode mode = s.addressMode[axis];
  if (normalized)
    coordinate *= static_cast<float>(count);
  // Numbers beyond any texture: an int must hold them.
  coordinate = std::clamp(std::isnan(coordinate) ? 0.0f : coordinate, -1e9f, 1e9f);
  if (s.filterMode == cudaFilterModePoint) {
    const int i = resolve(static_cast<int>(std::floor(coordinate)), count, mode, normalized);
    return {i, i, 0};
  }
  const float from_center = coordinate - 0.5f;
  const float floor = std::floor(from_center);
  // The hardware keeps 8 bits of the fraction.
  const float fraction = std::floor((from_center - floor) * 256 + 0.5f) / 256;
  const int low = static_cast<int>(floor);
  return {
      resolve(low, count, mode, normalized), resolve(low + 1, count, mode, normalized), fraction};
}

Texel blend(const Texel &a, const Texel &b, float fraction) {
  Texel result;
  for (int channel = 0; channel < 4; ++channel)
    result.as_float[channel] =
        (1 - fraction) * a.as_float[channel] + fraction * b.as_float[channel];
  return result;
}

/// The face that a direction points to, and where.
struct CubePlace {
  int face;
  float x, y; // [0, 1]
};

CubePlace cube_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto place = [](int face, float s, float t, float major) {
    return CubePlace{face, (s / major + 1) / 2, (t / major + 1) / 2};
  };
  if (ax >= ay && ax >= az)
    return x >= 0 ? place(0, -z, -y, ax) : place(1, z, -y, ax);
  if (ay >= az)
    return y >= 0 ? place(2, x, z, ay) : place(3, x, -z, ay);
  return z >= 0 ? place(4, x, -y, az) : place(5, -x, -y, az);
}

Texel sample(const ImageObject &o, TextureShape shape, TextureCoordinates at) {
  const Image &image = o.image;
  cudaTextureDesc sampler = o.sampler;
  int layer = std::clamp(at.layer, 0, image.depth - 1);
  switch (shape) {
  case TextureShape::row:
    // Outside there are zeros.
    return at.layer < 0 || at.layer >= image.width ? Texel{} : element(o, at.layer, 0, 0);
  case TextureShape::cube:
  case TextureShape::cubes: {
    const CubePlace place = cube_place(at.x, at.y, at.z);
    const int cube = shape == TextureShape::cube ? 0 : std::clamp(at.layer, 0, image.depth / 6 - 1);
    layer = 6 * cube + place.face;
    at.x = place.x;
    at.y = place.y;
    sampler.normalizedCoords = 1;
    sampler.addressMode[0] = sampler.addressMode[1] = cudaAddressModeClamp;
    break;
  }
  default:
    break;
  }
  const bool one_row = shape == TextureShape::one || shape == TextureShape::layers_of_one;
  const Between x = locate(at.x, image.width, sampler, 0);
  const Between y = one_row ? Between{0, 0, 0} : locate(at.y, image.height, sampler, 1);
  const Between z = shape == TextureShape::three ? locate(at.z, image.depth, sampler, 2)
                    : shape == TextureShape::one || shape == TextureShape::two
                        ? Between{0, 0, 0}
                        : Between{layer, layer, 0};
  // A neighbour that has no weight is not read.
  const auto row = [&](int at_y, int at_z) {
    const Texel low = element(o, x.low, at_y, at_z);
    return x.fraction == 0 ? low : blend(low, element(o, x.high, at_y, at_z), x.fraction);
  };
  const auto slice = [&](int at_z) {
    const Texel low = row(y.low, at_z);
    return y.fraction == 0 ? low : blend(low, row(y.high, at_z), y.fraction);
  };
  const Texel low = slice(z.low);
  return z.fraction == 0 ? low : blend(low, slice(z.high), z.fraction);
}

const ImageObject &object_in_kernel(unsigned long long handle) {
  if (handle == 0)
    fail_launch(cudaErrorLaunchFailure, "no_texture", "this texture or surface object is 0", {});
  return *image_object(handle);
}

} // namespace

Texel read_texture(cudaTextureObject_t texture, TextureShape shape, const TextureCoordinates &at) {
  return sample(object_in_kernel(texture), shape, at);
}

void *surface_element(cudaSurfaceObject_t surface,
                      TextureShape,
                      int x,
                      int y,
                      int z,
                      size_t bytes,
                      cudaSurfaceBoundaryMode mode) {
  const Image &image = object_in_kernel(surface).image;
  if (x % static_cast<int>(bytes) != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "x, which is in bytes, is no multiple of the element's size",
                {});
  const int last = static_cast<int>(image.pitch) - static_cast<int>(bytes);
  const bool inside =
      x >= 0 && x <= last && y >= 0 && y < image.height && z >= 0 && z < image.depth;
  if (!inside && mode == cudaBoundaryModeTrap)
    fail_launch(
        cudaErrorIllegalAddress, "out_of_bounds", "an access outside a surface; x is in bytes", {});
  if (!inside && mode == cudaBoundaryModeZero)
    return nullptr;
  x = std::clamp(x, 0, last);
  y = std::clamp(y, 0, image.height - 1);
  z = std::clamp(z, 0, image.depth - 1);
  return image.memory + static_cast<size_t>(z) * image.slice_pitch +
         static_cast<size_t>(y) * image.pitch + static_cast<size_t>(x);
}

} // namespace emu
