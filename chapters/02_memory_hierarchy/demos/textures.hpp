/// @file
/// Textures that free themselves: of words in plain memory, of rows in plain memory, of an array.
#pragma once

#include "ladder/chapter.hpp"

#include <vector>

/// How a texture is read: unless told otherwise, the nearest element, and the edge's outside.
inline cudaTextureDesc sampler(cudaTextureFilterMode filter = cudaFilterModePoint,
                               cudaTextureAddressMode address = cudaAddressModeClamp) {
  cudaTextureDesc how{};
  how.filterMode = filter;
  for (cudaTextureAddressMode &mode : how.addressMode)
    mode = address;
  return how;
}

/// A texture over memory that somebody else owns, and that has to outlive it.
class Texture {
public:
  Texture(const cudaResourceDesc &what, const cudaTextureDesc &how) {
    LAB_CHECK(cudaCreateTextureObject(&object_, &what, &how, nullptr));
  }
  Texture(const Texture &) = delete;
  Texture &operator=(const Texture &) = delete;
  ~Texture() { cudaDestroyTextureObject(object_); }
  cudaTextureObject_t get() const { return object_; }

private:
  cudaTextureObject_t object_ = 0;
};

/// Elements one behind the other, as cudaMalloc gives them; read by tex1Dfetch.
template <class T> cudaResourceDesc line_of(const lab::DeviceBuffer<T> &buffer) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = buffer.data();
  what.res.linear.desc = cudaCreateChannelDesc<T>();
  what.res.linear.sizeInBytes = buffer.bytes();
  return what;
}

/// The same memory as rows of `width` elements; read by tex2D. A row must be a multiple of 32 bytes.
template <class T> cudaResourceDesc rows_of(const lab::DeviceBuffer<T> &buffer, std::size_t width) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = buffer.data();
  what.res.pitch2D.desc = cudaCreateChannelDesc<T>();
  what.res.pitch2D.width = width;
  what.res.pitch2D.height = buffer.size() / width;
  what.res.pitch2D.pitchInBytes = width * sizeof(T);
  return what;
}

/// An array: memory of which only CUDA knows where which element lies, so no pointer leads into it.
/// Neighbours in both directions lie close together.
class Array {
public:
  template <class T>
  Array(const std::vector<T> &elements, std::size_t width, unsigned flags = cudaArrayDefault) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const std::size_t height = elements.size() / width, row = width * sizeof(T);
    LAB_CHECK(cudaMallocArray(&array_, &format, width, height, flags));
    LAB_CHECK(cudaMemcpy2DToArray(
        array_, 0, 0, elements.data(), row, row, height, cudaMemcpyHostToDevice));
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { cudaFreeArray(array_); }

  cudaResourceDesc resource() const {
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array_;
    return what;
  }

private:
  cudaArray_t array_ = nullptr;
};
