// Streams, events and host callbacks.
//
// In a plain program all work runs to its end inside the call that submits it, so streams keep
// their promise of order trivially: every query finds the stream idle and every recorded event has
// happened. With EMU_SCHEDULE=SEED work is queued, and runs in an order that the seed draws among
// all that CUDA allows (src/tasks.hpp). An event's time is the host's clock when it happens, which
// makes an elapsed time the emulation's own.
#pragma once

#include "emu/runtime/driver_types.hpp"

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback,
                                  void *user_data,
                                  unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
/// Of an event with cudaEventInterprocess, for another process of this machine.
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned int flags = 0);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
/// Milliseconds from one recorded event to another.
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

namespace emu {

/// cudaErrorInvalidResourceHandle for a stream that does not exist (any more). Null and the two
/// special handles (legacy, per thread) always exist.
cudaError_t validate_stream(cudaStream_t stream);

/// Whether stream 0 is the calling thread's own rather than the legacy default stream: what
/// CUDA_API_PER_THREAD_DEFAULT_STREAM asks for. It must be an option of the compiler (for nvcc:
/// --default-stream per-thread): cuda_runtime.h is included before the first line of a .cu file. One
/// file that asks for it is enough for the whole program.
extern constinit bool null_stream_is_per_thread;
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
inline const bool asks_for_per_thread_stream = null_stream_is_per_thread = true;
#endif

} // namespace emu
