// Access to `__device__`, `__constant__` and `__managed__` variables from the host.
#include "allocations.hpp"
#include "api.hpp"
#include "emu/runtime_memory.hpp"

namespace emu {
namespace {

/// From here on the variable counts as device memory (entering it again changes nothing).
void make_known(Symbol symbol) { enter(symbol.address, symbol.size, MemoryKind::symbol, 0); }

cudaError_t check_symbol_range(Symbol symbol, size_t size, size_t offset) {
  return offset <= symbol.size && size <= symbol.size - offset ? cudaSuccess
                                                               : cudaErrorInvalidValue;
}

} // namespace

cudaError_t copy_to_symbol(Symbol symbol,
                           const void *from,
                           size_t size,
                           size_t offset,
                           cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return device_call([&] {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = check_symbol_range(symbol, size, offset); error != cudaSuccess)
      return error;
    make_known(symbol);
    return cudaMemcpyAsync(static_cast<char *>(symbol.address) + offset, from, size, kind, stream);
  });
}

cudaError_t copy_from_symbol(
    void *to, Symbol symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return device_call([&] {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = check_symbol_range(symbol, size, offset); error != cudaSuccess)
      return error;
    make_known(symbol);
    return cudaMemcpyAsync(to, static_cast<char *>(symbol.address) + offset, size, kind, stream);
  });
}

cudaError_t symbol_address(void **address, Symbol symbol) {
  return device_call([&] {
    if (address == nullptr)
      return cudaErrorInvalidValue;
    make_known(symbol);
    *address = symbol.address;
    return cudaSuccess;
  });
}

cudaError_t symbol_size(size_t *size, Symbol symbol) {
  return device_call([&] {
    if (size == nullptr)
      return cudaErrorInvalidValue;
    *size = symbol.size;
    return cudaSuccess;
  });
}

} // namespace emu
