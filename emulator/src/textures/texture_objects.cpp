// Making texture and surface objects.
#include <algorithm>

#include "context/api.hpp"
#include "context/handles.hpp"
#include "memory/allocations.hpp"
#include "memory/arrays.hpp"
#include "textures/texture_objects.hpp"

namespace emu {

namespace {

Image image_of(cudaArray_const_t array) {
  return {array->memory,
          array->format,
          array->element,
          static_cast<int>(array->width()),
          static_cast<int>(array->height()),
          static_cast<int>(array->depth()),
          array->pitch(),
          array->pitch() * array->height()};
}

/// Describes plain memory; its size is checked against the allocation it lies in.
cudaError_t image_of_memory(Image &image,
                            void *memory,
                            const cudaChannelFormatDesc &format,
                            size_t width,
                            size_t height,
                            size_t pitch) {
  const size_t element = element_size(format);
  if (element == 0)
    return cudaErrorInvalidChannelDescriptor;
  const auto found = find_allocation(memory);
  if (!found || !found->alive || width == 0 || height == 0 || pitch < width * element ||
      !found->holds(memory, pitch * (height - 1) + width * element))
    return cudaErrorInvalidValue;
  image = {static_cast<char *>(memory),
           format,
           element,
           static_cast<int>(width),
           static_cast<int>(height),
           1,
           pitch,
           pitch * height};
  return cudaSuccess;
}

cudaError_t image_of_resource(Image &image, const cudaResourceDesc &resource) {
  const auto &linear = resource.res.linear;
  const auto &rows = resource.res.pitch2D;
  switch (resource.resType) {
  case cudaResourceTypeArray:
    if (!is_array(resource.res.array.array))
      return cudaErrorInvalidResourceHandle;
    image = image_of(resource.res.array.array);
    return cudaSuccess;
  case cudaResourceTypeLinear:
    return image_of_memory(image,
                           linear.devPtr,
                           linear.desc,
                           linear.sizeInBytes / std::max<size_t>(element_size(linear.desc), 1),
                           1,
                           linear.sizeInBytes);
  case cudaResourceTypePitch2D:
    return image_of_memory(
        image, rows.devPtr, rows.desc, rows.width, rows.height, rows.pitchInBytes);
  case cudaResourceTypeMipmappedArray:
    return cudaErrorNotSupported;
  }
  return cudaErrorInvalidValue;
}

/// What the hardware cannot do: to filter integers.
bool is_valid_sampler(const cudaTextureDesc &sampler, const cudaChannelFormatDesc &format) {
  const bool gives_integers =
      format.f != cudaChannelFormatKindFloat && sampler.readMode == cudaReadModeElementType;
  const bool too_wide = format.f != cudaChannelFormatKindFloat && format.x == 32 &&
                        sampler.readMode == cudaReadModeNormalizedFloat;
  return sampler.filterMode <= cudaFilterModeLinear &&
         sampler.readMode <= cudaReadModeNormalizedFloat && !too_wide &&
         !(gives_integers && sampler.filterMode == cudaFilterModeLinear);
}

cudaError_t create(unsigned long long *handle,
                   const cudaResourceDesc &resource,
                   const cudaTextureDesc &sampler) {
  Image image;
  if (const cudaError_t error = image_of_resource(image, resource))
    return error;
  if (!is_valid_sampler(sampler, image.format))
    return cudaErrorInvalidValue;
  *handle = reinterpret_cast<unsigned long long>(
      handles<ImageObject>().enter(new ImageObject{image, resource, sampler}));
  return cudaSuccess;
}

cudaError_t destroy(unsigned long long handle) {
  return release_call([&] {
    return handle == 0
               ? cudaSuccess
               : handles<ImageObject>().destroy(image_object(handle), cudaErrorInvalidValue);
  });
}

cudaError_t with_object(unsigned long long handle, auto use) {
  return device_call([&] {
    return handles<ImageObject>().with(image_object(handle), use, cudaErrorInvalidValue);
  });
}

} // namespace

void destroy_objects() { handles<ImageObject>().destroy_all(); }

} // namespace emu

using namespace emu;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description,
                                    const cudaResourceViewDesc *view) {
  return device_call([&] {
    if (texture == nullptr || resource == nullptr || description == nullptr)
      return cudaErrorInvalidValue;
    return view != nullptr ? cudaErrorNotSupported : create(texture, *resource, *description);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return destroy(texture); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaTextureObject_t texture) {
  return with_object(texture, [&](const ImageObject &o) { return answer(resource, o.resource); });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *description,
                                            cudaTextureObject_t texture) {
  return with_object(texture, [&](const ImageObject &o) { return answer(description, o.sampler); });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const cudaResourceDesc *resource) {
  return device_call([&] {
    if (surface == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    return create(surface, *resource, {});
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return destroy(surface); }
