// Launches are the host's business, which is not compiled here: what their callers name is enough.
#pragma once

#include <type_traits>

#include "emu/engine/engine.hpp"

struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;

namespace emu {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

template <class... Anything> inline void configure(const Anything &...) {}
template <class... Anything> inline void run_kernel(const Anything &...) {}

} // namespace emu
