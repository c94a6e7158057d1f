/// \file
/// What `kernel<<<grid, block, shared, stream>>>(arguments)` becomes after the rewriter.
#pragma once

#include <type_traits>

#include "emu/engine.hpp"

struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;

namespace emu {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared = 0; // bytes
  cudaStream_t stream = nullptr;
  bool cooperative = false; // all blocks live at the same time
};

inline LaunchConfig
config(dim3 grid, dim3 block, size_t dynamic_shared = 0, cudaStream_t stream = nullptr) {
  return {grid, block, dynamic_shared, stream, false};
}

/// Finds the address of a kernel named in a launch, where the name alone says which one it is (the
/// address of a template whose arguments are deduced cannot be had; that gives a null pointer).
struct AddressProbe {
  template <class... P> static const void *of(void (*kernel)(P...)) {
    return reinterpret_cast<const void *>(kernel);
  }
};
#define EMU_ADDRESS(...) \
  [=](auto emu_probe) -> const void * { \
    if constexpr (requires { emu_probe.of(__VA_ARGS__); }) \
      return emu_probe.of(__VA_ARGS__); \
    else \
      return nullptr; \
  }(::emu::AddressProbe{})

#define EMU_NAME(...) EMU_NAME_(__VA_ARGS__)
#define EMU_NAME_(...) #__VA_ARGS__

/// How an argument of a launch lies in memory.
struct ArgumentShape {
  size_t bytes, align;
  bool is_float, is_signed;
};
template <class T>
inline constexpr ArgumentShape argument_shape = {
    sizeof(T), alignof(T), std::is_floating_point_v<T>, std::is_signed_v<T>};
/// The shapes of all arguments, and one of 0 bytes behind them.
template <class... Arguments>
inline constexpr ArgumentShape argument_shapes[] = {argument_shape<Arguments>..., {}};

struct KernelBody {
  /// The entry function of every stack of a block: runs threads, one after the other. Never returns.
  void (*threads)();
  const void *body; // holds the arguments: what a kernel reads there are its parameters
  size_t parameter_bytes; // size of *body
  /// A copy of *body for a launch that is queued.
  void *(*copy)(const void *body);
  void (*destroy)(void *copy);
  /// In *body the arguments lie in their order, as members of a structure do, behind so many bytes.
  size_t bytes_before_arguments;
  const ArgumentShape *arguments; // the last one has 0 bytes
};

/// Checks the configuration as CUDA does, submits the launch to its stream, which runs all blocks
/// on all host cores, and records errors where cudaGetLastError and cudaDeviceSynchronize find them.
void run_grid(const char *name, const void *function, const LaunchConfig &config, KernelBody body);

template <class Body> EMU_UNOBSERVED void run_threads() {
  entered_fiber();
  for (;;) {
    const Body &call = *static_cast<const Body *>(turn.body);
    // A row of threads, for as long as none of them waits.
    unsigned x = threadIdx.x;
    do {
      threadIdx.x = x;
      call();
    } while (turn.plain && ++x < blockDim.x);
    end_thread();
  }
}

/// \param call  invokes the kernel; each CUDA thread gets its own copy of the arguments, because
///              a kernel takes its parameters by value
template <class Call, class... Arguments>
inline void launch(const char *name,
                   const void *function,
                   const LaunchConfig &config,
                   Call call,
                   Arguments... arguments) {
  const auto body = [call, arguments...]() { call(arguments...); };
  using Body = std::remove_const_t<decltype(body)>;
  run_grid(name,
           function,
           config,
           {&run_threads<decltype(body)>,
            &body,
            sizeof body,
            [](const void *original) -> void * {
              return new Body(*static_cast<const Body *>(original));
            },
            [](void *copied) { delete static_cast<Body *>(copied); },
            sizeof call,
            argument_shapes<Arguments...>});
}

} // namespace emu
