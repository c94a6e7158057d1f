// Asynchronous copies, as instructions.
#pragma once

#include "emu/warp/sync.hpp"

inline __attribute__((always_inline)) void
__pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
#ifdef __CUDA_ARCH__
  auto *s = (__attribute__((address_space(3))) void *)to;
  auto *g = (__attribute__((address_space(1))) const void *)from;
  if (zeros == bytes) {
    __builtin_memset(to, 0, bytes);
    return;
  }
  if (bytes == 16)
    __nvvm_cp_async_ca_shared_global_16((__attribute__((address_space(3))) void *)s,
                                        (__attribute__((address_space(1))) void *)g);
  else if (bytes == 8)
    __nvvm_cp_async_ca_shared_global_8((__attribute__((address_space(3))) void *)s,
                                       (__attribute__((address_space(1))) void *)g);
  else
    __nvvm_cp_async_ca_shared_global_4((__attribute__((address_space(3))) void *)s,
                                       (__attribute__((address_space(1))) void *)g);
#endif
}
inline void __pipeline_commit() { EMU_ON_DEVICE(__nvvm_cp_async_commit_group();) }
inline __attribute__((always_inline)) void __pipeline_wait_prior(size_t but) {
#ifdef __CUDA_ARCH__
  switch (but) {
  case 0:
    __nvvm_cp_async_wait_group(0);
    break;
  case 1:
    __nvvm_cp_async_wait_group(1);
    break;
  case 2:
    __nvvm_cp_async_wait_group(2);
    break;
  case 3:
    __nvvm_cp_async_wait_group(3);
    break;
  default:
    __nvvm_cp_async_wait_group(4);
  }
#endif
}
