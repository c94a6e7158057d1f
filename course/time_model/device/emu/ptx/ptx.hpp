/// \file
/// PTX is what clang makes here: `asm` stays, and only the conversions of addresses need names.
#pragma once

__device__ inline size_t __cvta_generic_to_shared(const void *p) {
  return reinterpret_cast<size_t>((const __attribute__((address_space(3))) void *)p);
}
__device__ inline size_t __cvta_generic_to_global(const void *p) {
  return reinterpret_cast<size_t>(p);
}
