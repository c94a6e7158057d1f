// Allocating, copying and setting memory.
//
// Device memory is host memory behind a table of allocations: the table answers which pointers are
// the device's, so a call gets the error that CUDA would give it. Fresh memory holds 0xA5 bytes,
// never zeros, so that reading what was never written shows. Asynchronous copies run when they are
// called, too, unless a schedule is drawn (see runtime_streams.hpp).
#pragma once

#include "emu/runtime/driver_types.hpp"

// ------------------------------------------------------------------------- allocation

cudaError_t cudaMalloc(void **memory, size_t size);
cudaError_t cudaMallocManaged(void **memory, size_t size, unsigned int flags = cudaMemAttachGlobal);
cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr *memory, cudaExtent extent);
cudaError_t cudaFree(void *memory);

cudaError_t cudaMallocHost(void **memory, size_t size, unsigned int flags = cudaHostAllocDefault);
cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned int flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaHostRegister(void *memory, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory);

cudaError_t cudaMallocAsync(void **memory, size_t size, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t size, cudaMemPool_t, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *accesses, size_t count);
cudaError_t
cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location);

/// Lets other processes of this machine reach an allocation of cudaMalloc's.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory);
/// \param flags  cudaIpcMemLazyEnablePeerAccess
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *memory);

// Casts of C: what is allocated may be declared const.
inline cudaError_t cudaMalloc(auto **memory, size_t size) {
  return cudaMalloc((void **)memory, size);
}
inline cudaError_t
cudaMallocManaged(auto **memory, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)memory, size, flags);
}
inline cudaError_t cudaMallocPitch(auto **memory, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)memory, pitch, width, height);
}
inline cudaError_t
cudaMallocHost(auto **memory, size_t size, unsigned int flags = cudaHostAllocDefault) {
  return cudaMallocHost((void **)memory, size, flags);
}
inline cudaError_t cudaHostAlloc(auto **memory, size_t size, unsigned int flags) {
  return cudaHostAlloc((void **)memory, size, flags);
}
inline cudaError_t cudaHostGetDevicePointer(auto **device, void *host, unsigned int flags) {
  return cudaHostGetDevicePointer((void **)device, host, flags);
}
inline cudaError_t cudaMallocAsync(auto **memory, size_t size, cudaStream_t s) {
  return cudaMallocAsync((void **)memory, size, s);
}
inline cudaError_t
cudaMallocFromPoolAsync(auto **memory, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)memory, size, pool, stream);
}
/// The form that names its pool, under the shorter name.
inline cudaError_t
cudaMallocAsync(auto **memory, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(memory, size, pool, stream);
}

// ------------------------------------------------------------------------- copying and setting

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(
    void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size);
cudaError_t cudaMemcpyPeerAsync(void *to,
                                int to_device,
                                const void *from,
                                int from_device,
                                size_t size,
                                cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void *to,
                         size_t to_pitch,
                         const void *from,
                         size_t from_pitch,
                         size_t width,
                         size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to,
                              size_t to_pitch,
                              const void *from,
                              size_t from_pitch,
                              size_t width,
                              size_t height,
                              cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t stream = nullptr);

cudaError_t cudaMemset(void *memory, int value, size_t size);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *memory,
                              size_t pitch,
                              int value,
                              size_t width,
                              size_t height,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory,
                              int value,
                              cudaExtent extent,
                              cudaStream_t stream = nullptr);

// ------------------------------------------------------------------------- managed memory

// Host and device share all memory here, so nothing moves; arguments are checked and remembered.
cudaError_t cudaMemPrefetchAsync(const void *memory,
                                 size_t size,
                                 cudaMemLocation location,
                                 unsigned int flags,
                                 cudaStream_t stream = nullptr);
cudaError_t
cudaMemAdvise(const void *memory, size_t size, cudaMemoryAdvise advice, cudaMemLocation location);
cudaError_t cudaMemRangeGetAttribute(
    void *data, size_t data_size, cudaMemRangeAttribute attribute, const void *memory, size_t size);
/// The location of a range is the last one whose first range is not behind it. Not for the default stream.
cudaError_t cudaMemPrefetchBatchAsync(void **memory,
                                      size_t *sizes,
                                      size_t count,
                                      cudaMemLocation *locations,
                                      size_t *first_of_location,
                                      size_t location_count,
                                      unsigned long long flags,
                                      cudaStream_t stream);
// What the ranges hold is not needed any more. The emulator fills them with a pattern, so that a
// program that reads on is found out.
cudaError_t cudaMemDiscardBatchAsync(
    void **memory, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **memory,
                                                size_t *sizes,
                                                size_t count,
                                                cudaMemLocation *locations,
                                                size_t *first_of_location,
                                                size_t location_count,
                                                unsigned long long flags,
                                                cudaStream_t stream);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream,
                                     void *memory,
                                     size_t size = 0,
                                     unsigned int flags = cudaMemAttachSingle);
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream,
                                            auto *memory,
                                            size_t size = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void *>(memory), size, flags);
}

// ------------------------------------------------------------------------- __device__ variables

namespace emu {

/// A `__device__`, `__constant__` or `__managed__` variable: its address and size in bytes.
struct Symbol {
  void *address;
  size_t size;
};

template <class T> inline Symbol symbol(const T &variable) {
  return {const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(variable))),
          sizeof(T)};
}

cudaError_t copy_to_symbol(
    Symbol symbol, const void *from, size_t size, size_t offset, cudaMemcpyKind, cudaStream_t);
cudaError_t
copy_from_symbol(void *to, Symbol symbol, size_t size, size_t offset, cudaMemcpyKind, cudaStream_t);
cudaError_t symbol_address(void **address, Symbol symbol);
cudaError_t symbol_size(size_t *size, Symbol symbol);

} // namespace emu

inline cudaError_t cudaMemcpyToSymbol(const auto &variable,
                                      const void *from,
                                      size_t size,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return emu::then_wait(
      emu::copy_to_symbol(emu::symbol(variable), from, size, offset, kind, nullptr));
}
inline cudaError_t cudaMemcpyToSymbolAsync(const auto &variable,
                                           const void *from,
                                           size_t size,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
  return emu::copy_to_symbol(emu::symbol(variable), from, size, offset, kind, stream);
}
inline cudaError_t cudaMemcpyFromSymbol(void *to,
                                        const auto &variable,
                                        size_t size,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return emu::then_wait(
      emu::copy_from_symbol(to, emu::symbol(variable), size, offset, kind, nullptr));
}
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to,
                                             const auto &variable,
                                             size_t size,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr) {
  return emu::copy_from_symbol(to, emu::symbol(variable), size, offset, kind, stream);
}
inline cudaError_t cudaGetSymbolAddress(void **address, const auto &variable) {
  return emu::symbol_address(address, emu::symbol(variable));
}
inline cudaError_t cudaGetSymbolAddress(auto **address, const auto &variable) {
  return emu::symbol_address((void **)address, emu::symbol(variable));
}
inline cudaError_t cudaGetSymbolSize(size_t *size, const auto &variable) {
  return emu::symbol_size(size, emu::symbol(variable));
}
