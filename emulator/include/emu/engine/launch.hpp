/// \file
/// What `kernel<<<grid, block, shared, stream>>>(arguments)` and kernels become after the rewriter.
#pragma once

#include <type_traits>
#include <utility>

#include "emu/engine/engine.hpp"

struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;

namespace emu {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared = 0; // bytes
  cudaStream_t stream = nullptr;
  bool cooperative = false; // all blocks live at the same time
  dim3 cluster{0, 0, 0}; // blocks of one in each axis; 0: clusters are not asked for
  int least_blocks = 0; // on an SM, that the kernel's __launch_bounds__ ask for; 0: none
};

/// What stands in `<<<…>>>`: the kernel that is called next on this host thread takes it.
/// \param name  of the kernel, for reports; stays where it is. Null: as the kernel calls itself
void configure(const char *name, const LaunchConfig &config);
void configure(const char *name,
               dim3 grid,
               dim3 block,
               size_t dynamic_shared = 0, // bytes
               cudaStream_t stream = nullptr);

/// A launch that waits for its kernel.
struct Configured {
  const char *name = nullptr;
  LaunchConfig config;
};

/// Of one host thread, the last one first: launches of functions that are called for arguments come in between. Where
/// arguments throw, one stays for good, as with CUDA; so the oldest one gives way to a new one.
class ConfiguredLaunches {
public:
  void push(const Configured &one) {
    ++pushed_;
    waiting_ += waiting_ < most;
    last_[pushed_ % most] = one;
  }
  bool empty() const { return waiting_ == 0; }
  /// \param own_name  of the kernel that has come
  Configured pop(const char *own_name) {
    --waiting_;
    Configured one = last_[pushed_-- % most];
    one.name = one.name ? one.name : own_name;
    return one;
  }

private:
  static constexpr unsigned most = 16;
  Configured last_[most];
  unsigned pushed_ = 0, waiting_ = 0;
};

/// How an argument of a launch lies in memory.
struct ArgumentShape {
  size_t bytes, align;
  bool is_float, is_signed;
  bool is_restricted; // a pointer that is declared __restrict__
  size_t element; // bytes of what a pointer leads to; 0: it is none, or nobody knows
};
template <class T> constexpr size_t object_bytes() {
  if constexpr (std::is_object_v<T> && requires { sizeof(T); })
    return sizeof(T);
  else
    return 0;
}
template <class T>
inline constexpr ArgumentShape argument_shape = {
    sizeof(T), alignof(T), std::is_floating_point_v<T>, std::is_signed_v<T>, false, 0};
template <class T>
inline constexpr ArgumentShape argument_shape<T *> = {
    sizeof(T *), alignof(T *), false, false, false, object_bytes<T>()};
template <class T>
inline constexpr ArgumentShape argument_shape<T *__restrict> = {
    sizeof(T *), alignof(T *), false, false, true, object_bytes<T>()};
/// The shapes of all arguments, and one of 0 bytes behind them.
template <class... Arguments>
inline constexpr ArgumentShape argument_shapes[] = {
    argument_shape<std::remove_const_t<Arguments>>..., {}};

struct KernelBody {
  /// The entry function of every stack of a block: runs threads, one after the other. Never returns.
  void (*threads)();
  void (*thread)(const void *body); // runs one, for run_each_thread(); null: `threads` knows how
  const void *body; // holds the arguments: what a kernel reads there are its parameters
  size_t parameter_bytes, parameter_alignment; // of *body
  /// In *body the arguments lie in their order, as members of a structure do, behind so many bytes.
  size_t bytes_before_arguments;
  const ArgumentShape *arguments; // the last one has 0 bytes
  const char *
      names; // of the parameters, then of the launch's shared memory, with its type: "in,n,out;s_data:float"
};

/// Starts a kernel as has been configured; one that has not been ends the program. Checks the configuration as CUDA does,
/// submits the launch to its stream, which runs all blocks on all host cores, and records errors where cudaGetLastError
/// and cudaDeviceSynchronize find them.
/// \param own_name  of the kernel, for a launch that does not write it
void launch(const char *own_name, const void *function, KernelBody body);

/// A block's arguments, for a row of its threads: in a copy that nobody else knows of the compiler need not
/// read them anew after each store.
template <class Body>
using RowOf = std::conditional_t<std::is_trivially_copyable_v<Body> && sizeof(Body) <= 256,
                                 const Body,
                                 const Body &>;

/// KernelBody::threads of what takes threadIdx and its kin as parameters, which stay in registers.
template <class Body> EMU_UNOBSERVED void run_threads() {
  entered_fiber();
  for (;;) {
    // A row of threads, for as long as none of them waits.
    const RowOf<Body> call = *static_cast<const Body *>(turn.body);
    uint3 thread = threadIdx;
    const uint3 block = blockIdx;
    const dim3 threads = blockDim, blocks = gridDim;
    do {
      threadIdx.x = thread.x;
      call(thread, block, threads, blocks);
    } while (__builtin_expect(in_a_row, true) && ++thread.x < threads.x);
    end_thread();
  }
}
/// The same of all other kernels, whose threads KernelBody::thread runs.
void run_each_thread();
template <class Body> EMU_UNOBSERVED void run_thread(const void *body) {
  (*static_cast<const Body *>(body))();
}

template <class P> struct Unrestricted { using type = P; };
template <class T> struct Unrestricted<T *__restrict> { using type = T *; };
template <class T> struct Unrestricted<T *__restrict const> { using type = T *; };
/// The type of a parameter as a function's type has it: g++ 12 forgets to drop `__restrict__` where a template's
/// argument decides what is pointed to.
template <class P> using InType = typename Unrestricted<P>::type;

/// How the body of a kernel takes a parameter of type P: what cannot be copied bit by bit, as a reference.
template <class P> using Parameter = std::conditional_t<std::is_trivially_copyable_v<P>, P, P &>;

/// A thread's own copy of a parameter. CUDA copies bits: neither copying nor destroying one calls anything.
template <class P> class CopyOfBits {
public:
  EMU_UNOBSERVED explicit CopyOfBits(const P &original) {
    __builtin_memcpy(bits_, static_cast<const void *>(__builtin_addressof(original)), sizeof(P));
  }
  EMU_UNOBSERVED operator P &() { return *reinterpret_cast<P *>(bits_); }

private:
  alignas(P) unsigned char bits_[sizeof(P)];
};
template <class P>
using OwnCopy = std::conditional_t<std::is_trivially_copyable_v<P>, P, CopyOfBits<P>>;

/// Starts a kernel that has been configured.
/// \param own_name  see launch()
/// \param call  its body, for one thread: takes the parameters. It may take threadIdx, blockIdx, blockDim and
///              gridDim before them, which then stay in registers; functions that it calls have the variables.
/// \param names  of the parameters: see KernelBody
/// \param parameters  what its caller's arguments were converted to, once
template <class Call, class... P>
inline void run_kernel(
    const char *own_name, const void *function, const char *names, Call call, P &...parameters) {
  const auto body =
      [call, ... parameters = std::move(parameters)](const auto &...indices)
          EMU_UNOBSERVED { call(indices..., OwnCopy<std::remove_const_t<P>>(parameters)...); };
  using Body = decltype(body);
  KernelBody kernel = {&run_each_thread,
                       nullptr,
                       &body,
                       sizeof(Body),
                       alignof(Body),
                       sizeof call,
                       argument_shapes<P...>,
                       names};
  if constexpr (requires(uint3 & i, dim3 & n) {
                  call(i, i, n, n, OwnCopy<std::remove_const_t<P>>(parameters)...);
                })
    kernel.threads = &run_threads<Body>;
  else
    kernel.thread = &run_thread<Body>;
  launch(own_name, function, kernel);
}

} // namespace emu
