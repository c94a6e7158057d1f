/// \file
/// PTX is what clang makes here: `asm` stays, and only the conversions of addresses need names.
#pragma once

__device__ inline size_t __cvta_generic_to_shared(const void *p) {
  return reinterpret_cast<size_t>((const __attribute__((address_space(3))) void *)p);
}
__device__ inline size_t __cvta_generic_to_global(const void *p) {
  return reinterpret_cast<size_t>(p);
}

#include "emu/engine/tensors.hpp"
#include "emu/memory/device_functions.hpp"

namespace emu::ptx {

/// \name What libcu++'s names for instructions need to compile
/// @{
template <size_t N> struct Name {
  consteval Name(const char (&)[N]) {}
};
template <Name op, class T> void combine(char *to, const char *from, size_t bytes);
/// @}

} // namespace emu::ptx
