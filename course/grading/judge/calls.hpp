/// @file
/// The functions of CUDA's runtime, and of NCCL, that checkers use and that need nothing special: the judge's own
/// versions of them ask the learner's process to call the real ones.
///
/// What crosses follows from the types of the parameters: where a pointer leads to one object that is
/// not constant, the object comes back; where to one that is, it goes there; other pointers (handles,
/// addresses of memory) and everything else are values.
#pragma once

#include "judge/frame.hpp"

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace judge {

template <auto function> struct Call { static constexpr auto address = function; };

using Calls = std::tuple<
    Call<static_cast<cudaError_t (*)(void **, std::size_t)>(&cudaMalloc)>,
    Call<&cudaMemset>,
    Call<&cudaMemsetAsync>,
    Call<&cudaMallocArray>,
    Call<&cudaFreeArray>,
    Call<&cudaCreateTextureObject>,
    Call<&cudaDestroyTextureObject>,
    Call<static_cast<cudaError_t (*)(void **, void *, unsigned)>(&cudaHostGetDevicePointer)>,
    Call<&cudaPointerGetAttributes>,
    Call<&cudaStreamCreate>,
    Call<&cudaStreamCreateWithFlags>,
    Call<&cudaStreamDestroy>,
    Call<&cudaStreamSynchronize>,
    Call<&cudaStreamQuery>,
    Call<&cudaStreamWaitEvent>,
    Call<&cudaStreamIsCapturing>,
    Call<&cudaStreamGetId>,
    Call<&cudaStreamEndCapture>,
    Call<&cudaGraphExecDestroy>,
    Call<&cudaGraphDestroy>,
    Call<static_cast<cudaError_t (*)(cudaEvent_t *)>(&cudaEventCreate)>,
    Call<&cudaEventCreateWithFlags>,
    Call<&cudaEventDestroy>,
    Call<&cudaEventRecord>,
    Call<&cudaEventQuery>,
    Call<&cudaEventSynchronize>,
    Call<&cudaEventElapsedTime>,
    Call<&cudaGetDeviceCount>,
    Call<&cudaSetDevice>,
    Call<&cudaGetDevice>,
    Call<&cudaGetDeviceProperties>,
    Call<&cudaDeviceGetAttribute>,
    Call<&cudaDriverGetVersion>,
    Call<&cudaRuntimeGetVersion>,
    Call<&cudaMemGetInfo>,
    Call<&cudaDeviceSynchronize>,
    Call<&cudaDeviceReset>,
    Call<&cudaDeviceCanAccessPeer>,
    Call<&cudaDeviceEnablePeerAccess>,
    Call<&cudaDeviceDisablePeerAccess>,
    Call<&cudaGetLastError>,
    Call<&cudaPeekAtLastError>,
    Call<&ncclGetUniqueId>,
    Call<&ncclCommInitRank>,
    Call<&ncclCommDestroy>,
    Call<&ncclAllReduce>,
    Call<&ncclGroupStart>,
    Call<&ncclGroupEnd>>;

template <auto function, std::size_t i = 0> constexpr std::size_t number_of() {
  using Known = std::tuple_element_t<i, Calls>;
  if constexpr (std::is_same_v<Known, Call<function>>)
    return i;
  else
    return number_of<function, i + 1>();
}

/// Whether a pointer of this type leads to an object, and not to memory or to what a handle stands for.
template <class T> constexpr bool leads_to_object() {
  if constexpr (!std::is_pointer_v<T>)
    return false;
  else if constexpr (std::is_void_v<std::remove_pointer_t<T>>)
    return false;
  else
    return requires { sizeof(std::remove_pointer_t<T>); };
}
template <class T>
inline constexpr bool is_result = leads_to_object<T>() &&
                                  !std::is_const_v<std::remove_pointer_t<T>>;

} // namespace judge
