// CUDA's runtime as the judge has it: without a device, by asking the learner's process.
#include "judge/calls.hpp"
#include "judge/connection.hpp"
#include "judge/mirrors.hpp"

#include <observation/devices.hpp>

namespace judge {
namespace {

// ------------------------------------------------------------------ what needs nothing special

template <class P> void put_parameter(Writer &question, const P &value) {
  if constexpr (is_result<P>) {
    question.put<std::uint8_t>(value != nullptr);
  } else if constexpr (leads_to_object<P>()) {
    question.put<std::uint8_t>(value != nullptr);
    if (value != nullptr)
      question.put(*value);
  } else if constexpr (std::is_pointer_v<P>) {
    question.put(mirrors().to_remote(reinterpret_cast<std::uint64_t>(value)));
  } else {
    question.put(value);
  }
}

template <class P> void get_result(Reader &answer, const P &value) {
  if constexpr (is_result<P>) {
    if (value == nullptr)
      return;
    answer.get(*value);
    if constexpr (std::is_same_v<P, cudaDeviceProp *>)
      value->name[sizeof value->name - 1] = 0;
  }
}

template <auto function, class Error = cudaError_t, class... P>
Error forward(const P &...parameters) {
  Writer question;
  question.put<std::uint32_t>(number_of<function>());
  (put_parameter(question, parameters), ...);
  Error error{};
  ask(Ask::cuda, question, [&](Reader &answer) {
    answer.get(error);
    (get_result(answer, parameters), ...);
  });
  return error;
}

/// A question whose answer is no more than an error.
cudaError_t ask_for_error(Ask what, const Writer &question) {
  cudaError_t error = cudaErrorUnknown;
  ask(what, question, [&](Reader &answer) { answer.get(error); });
  return error;
}

// ------------------------------------------------------------------ memory

enum class HostMemory : std::uint8_t { pinned, managed };

cudaError_t allocate_host(HostMemory kind, void **memory, std::size_t size, unsigned flags) {
  hold_in_frame(size);
  Writer question;
  question.put(kind);
  question.put<std::uint64_t>(size);
  question.put(flags);
  cudaError_t error = cudaErrorUnknown;
  ask(Ask::allocate_host, question, [&](Reader &answer) {
    answer.get(error);
    const auto remote = answer.get<std::uint64_t>();
    if (error == cudaSuccess)
      *memory = mirrors().add(remote, size);
  });
  return error;
}

cudaError_t free_host(void *memory, bool pinned) {
  Writer question;
  question.put<std::uint8_t>(pinned);
  question.put(mirrors().remove(memory));
  tell(Ask::free_host, question);
  return cudaSuccess; // no checker asks
}

/// @param asynchronous  with the stream
cudaError_t copy(void *to,
                 const void *from,
                 std::size_t size,
                 cudaMemcpyKind kind,
                 bool asynchronous,
                 cudaStream_t stream) {
  const bool in = kind == cudaMemcpyHostToDevice && !mirrors().holds(from);
  const bool out = kind == cudaMemcpyDeviceToHost && !mirrors().holds(to);
  hold_in_frame(out ? size : 0);
  Writer question;
  question.put(mirrors().to_remote(reinterpret_cast<std::uint64_t>(to)));
  question.put(mirrors().to_remote(reinterpret_cast<std::uint64_t>(from)));
  question.put<std::uint64_t>(size);
  question.put(kind);
  question.put<std::uint8_t>(asynchronous);
  question.put(stream);
  if (!out) {
    question.put_bytes(from, in ? size : 0);
    return ask_for_error(Ask::copy_in, question);
  }
  cudaError_t error = cudaErrorUnknown;
  ask(Ask::copy_out, question, [&](Reader &answer) {
    answer.get(error);
    const std::string_view bytes = answer.bytes();
    if (bytes.size() != size)
      throw Malformed("a copy of another size");
    if (error == cudaSuccess && size > 0)
      std::memcpy(to, bytes.data(), size);
  });
  return error;
}

} // namespace
} // namespace judge

using namespace judge;

cudaError_t cudaMallocHost(void **memory, size_t size, unsigned flags) {
  return allocate_host(HostMemory::pinned, memory, size, flags);
}
cudaError_t cudaMallocManaged(void **memory, size_t size, unsigned flags) {
  return allocate_host(HostMemory::managed, memory, size, flags);
}
cudaError_t cudaFreeHost(void *memory) { return free_host(memory, true); }
cudaError_t cudaFree(void *memory) { return free_host(memory, false); }

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  return copy(to, from, size, kind, false, nullptr);
}
cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(to, from, size, kind, true, stream);
}

/// From the host only; the other process waits for it.
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array,
                                     size_t x,
                                     size_t y,
                                     const void *from,
                                     size_t pitch,
                                     size_t width,
                                     size_t height,
                                     cudaMemcpyKind kind,
                                     cudaStream_t) {
  if (kind != cudaMemcpyHostToDevice)
    return cudaErrorNotSupported;
  Writer question;
  question.put(array);
  for (const size_t value : {x, y, pitch, width, height})
    question.put<std::uint64_t>(value);
  question.put_bytes(from, height > 0 ? (height - 1) * pitch + width : 0);
  return ask_for_error(Ask::copy_to_array, question);
}

cudaError_t cudaMemRangeGetAttribute(void *data,
                                     size_t data_size,
                                     cudaMemRangeAttribute attribute,
                                     const void *memory,
                                     size_t size) {
  Writer question;
  question.put<std::uint64_t>(data_size);
  question.put(attribute);
  question.put(mirrors().to_remote(reinterpret_cast<std::uint64_t>(memory)));
  question.put<std::uint64_t>(size);
  cudaError_t error = cudaErrorUnknown;
  ask(Ask::range_attribute, question, [&](Reader &answer) {
    answer.get(error);
    const std::string_view bytes = answer.bytes();
    if (bytes.size() != data_size)
      throw Malformed("an attribute of another size");
    std::memcpy(data, bytes.data(), data_size);
  });
  return error;
}

cudaError_t emu::then_wait(cudaError_t submitted) { return submitted; }

#define FORWARD(function, parameters, arguments) \
  cudaError_t function parameters { return forward<&function> arguments; }

cudaError_t cudaMalloc(void **memory, size_t size) {
  return forward<static_cast<cudaError_t (*)(void **, size_t)>(&cudaMalloc)>(memory, size);
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return forward<static_cast<cudaError_t (*)(void **, void *, unsigned)>(
      &cudaHostGetDevicePointer)>(device, host, flags);
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return forward<static_cast<cudaError_t (*)(cudaEvent_t *)>(&cudaEventCreate)>(event);
}
FORWARD(cudaMemset, (void *memory, int value, size_t size), (memory, value, size))
FORWARD(cudaMemsetAsync,
        (void *memory, int value, size_t size, cudaStream_t stream),
        (memory, value, size, stream))
FORWARD(cudaMallocArray,
        (cudaArray_t * array,
         const cudaChannelFormatDesc *format,
         size_t width,
         size_t height,
         unsigned flags),
        (array, format, width, height, flags))
FORWARD(cudaFreeArray, (cudaArray_t array), (array))
FORWARD(cudaCreateTextureObject,
        (cudaTextureObject_t * texture,
         const cudaResourceDesc *resource,
         const cudaTextureDesc *how,
         const cudaResourceViewDesc *view),
        (texture, resource, how, view))
FORWARD(cudaDestroyTextureObject, (cudaTextureObject_t texture), (texture))
FORWARD(cudaPointerGetAttributes,
        (cudaPointerAttributes * attributes, const void *memory),
        (attributes, memory))
FORWARD(cudaStreamCreate, (cudaStream_t * stream), (stream))
FORWARD(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
FORWARD(cudaStreamDestroy, (cudaStream_t stream), (stream))
FORWARD(cudaStreamSynchronize, (cudaStream_t stream), (stream))
FORWARD(cudaStreamQuery, (cudaStream_t stream), (stream))
FORWARD(cudaStreamWaitEvent,
        (cudaStream_t stream, cudaEvent_t event, unsigned flags),
        (stream, event, flags))
FORWARD(cudaStreamIsCapturing,
        (cudaStream_t stream, cudaStreamCaptureStatus *status),
        (stream, status))
FORWARD(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (stream, id))
FORWARD(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph))
FORWARD(cudaGraphExecDestroy, (cudaGraphExec_t graph), (graph))
FORWARD(cudaGraphDestroy, (cudaGraph_t graph), (graph))
FORWARD(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
FORWARD(cudaEventDestroy, (cudaEvent_t event), (event))
FORWARD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
FORWARD(cudaEventQuery, (cudaEvent_t event), (event))
FORWARD(cudaEventSynchronize, (cudaEvent_t event), (event))
FORWARD(cudaEventElapsedTime,
        (float *milliseconds, cudaEvent_t start, cudaEvent_t end),
        (milliseconds, start, end))
FORWARD(cudaGetDeviceCount, (int *count), (count))
FORWARD(cudaSetDevice, (int device), (device))
FORWARD(cudaGetDevice, (int *device), (device))
FORWARD(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), (properties, device))
FORWARD(cudaDeviceGetAttribute,
        (int *value, cudaDeviceAttr attribute, int device),
        (value, attribute, device))
FORWARD(cudaDriverGetVersion, (int *version), (version))
FORWARD(cudaRuntimeGetVersion, (int *version), (version))
FORWARD(cudaMemGetInfo, (size_t * free, size_t *total), (free, total))
FORWARD(cudaDeviceSynchronize, (), ())
FORWARD(cudaDeviceReset, (), ())
FORWARD(cudaDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer))
FORWARD(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags))
FORWARD(cudaDeviceDisablePeerAccess, (int peer), (peer))
FORWARD(cudaGetLastError, (), ())
FORWARD(cudaPeekAtLastError, (), ())
#undef FORWARD

#define FORWARD(function, parameters, arguments) \
  ncclResult_t function parameters { return forward<&function, ncclResult_t> arguments; }
FORWARD(ncclGetUniqueId, (ncclUniqueId * id), (id))
FORWARD(ncclCommInitRank,
        (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank),
        (comm, ranks, id, rank))
FORWARD(ncclCommDestroy, (ncclComm_t comm), (comm))
FORWARD(ncclAllReduce,
        (const void *send,
         void *receive,
         size_t count,
         ncclDataType_t type,
         ncclRedOp_t operation,
         ncclComm_t comm,
         cudaStream_t stream),
        (send, receive, count, type, operation, comm, stream))
FORWARD(ncclGroupStart, (), ())
FORWARD(ncclGroupEnd, (), ())
