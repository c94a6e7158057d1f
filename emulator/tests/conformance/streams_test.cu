// Streams, events and callbacks.
#include "conformance.cuh"

namespace {

__global__ void count_up(unsigned *counter) { atomicAdd(counter, 1u); }

TEST_CASE("streams: made, asked, destroyed") {
  cudaStream_t s = nullptr;
  int priority = 1, least = -1, greatest = 1;
  unsigned flags = 9;
  CHECK_CALL(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  CHECK_CALL(cudaStreamCreateWithFlags(&s, 99), cudaErrorInvalidValue);
  CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0);
  CHECK(greatest <= 0); // the lower number goes first
  CHECK_OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -100));
  CHECK_OK(cudaStreamGetPriority(s, &priority));
  CHECK(priority == greatest);
  CHECK_OK(cudaStreamGetFlags(s, &flags));
  CHECK(flags == cudaStreamNonBlocking);
  CHECK_OK(cudaStreamGetFlags(nullptr, &flags));
  CHECK(flags == cudaStreamDefault);
  CHECK_OK(cudaStreamSynchronize(s));
  CHECK_OK(cudaStreamQuery(s));
  CHECK_OK(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK_OK(cudaStreamSynchronize(cudaStreamLegacy));
  CHECK_OK(cudaStreamDestroy(s));
  CHECK_CALL(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaStreamDestroy(cudaStreamLegacy), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
#ifdef BUILD_FIRST_EMULATOR // on a GPU a destroyed handle is undefined behaviour
  CHECK_CALL(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
#endif
}

TEST_CASE("work in a stream is done in order") {
  cudaStream_t s;
  REQUIRE(cudaStreamCreate(&s) == cudaSuccess);
  conformance::DeviceArray<unsigned> counter(1);
  unsigned result = 0;
  CHECK_OK(cudaMemsetAsync(counter.data(), 0, sizeof(unsigned), s));
  count_up<<<4, 64, 0, s>>>(counter.data());
  CHECK_OK(cudaMemcpyAsync(&result, counter.data(), sizeof result, cudaMemcpyDeviceToHost, s));
  CHECK_OK(cudaStreamSynchronize(s));
  CHECK(result == 256);
  cudaStreamDestroy(s);
}

TEST_CASE("polling comes to an end, and then the work is done") {
  cudaStream_t s;
  cudaEvent_t counted;
  REQUIRE(cudaStreamCreate(&s) == cudaSuccess);
  REQUIRE(cudaEventCreate(&counted) == cudaSuccess);
  unsigned *counter = nullptr, *host = nullptr;
  REQUIRE(cudaMalloc(&counter, sizeof *counter) == cudaSuccess);
  REQUIRE(cudaMallocHost(&host, sizeof *host) == cudaSuccess);
  enum Asked { stream, event, default_stream };
  for (const Asked asked : {stream, event, default_stream}) {
    CAPTURE(asked);
    const auto answer = [&] {
      return asked == stream  ? cudaStreamQuery(s)
             : asked == event ? cudaEventQuery(counted)
                              : cudaStreamQuery(nullptr);
    };
    CHECK_OK(cudaMemsetAsync(counter, 0, sizeof *counter, s));
    count_up<<<4, 64, 0, s>>>(counter);
    CHECK_OK(cudaMemcpyAsync(host, counter, sizeof *host, cudaMemcpyDeviceToHost, s));
    CHECK_OK(cudaEventRecord(counted, s));
    cudaError_t last;
    while ((last = answer()) == cudaErrorNotReady)
      continue;
    CHECK_OK(last);
    CHECK(*host == 256);
    *host = 0;
  }
  CHECK_OK(cudaPeekAtLastError()); // "not ready" is an answer, no error
  cudaFreeHost(host);
  cudaFree(counter);
  cudaEventDestroy(counted);
  cudaStreamDestroy(s);
}

TEST_CASE("events: recorded, asked, timed") {
  cudaEvent_t start, end, untimed, bad;
  float ms = -1;
  CHECK_CALL(cudaEventCreate(nullptr), cudaErrorInvalidValue);
  CHECK_CALL(cudaEventCreateWithFlags(&bad, 999), cudaErrorInvalidValue);
  CHECK_CALL(cudaEventCreateWithFlags(&bad, cudaEventInterprocess), cudaErrorInvalidValue);
  CHECK_OK(cudaEventCreate(&start));
  CHECK_OK(cudaEventCreate(&end));
  CHECK_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));

  // Not recorded: it counts as done, and has no time.
  CHECK_OK(cudaEventQuery(start));
  CHECK_OK(cudaEventSynchronize(start));
  CHECK_CALL(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
  CHECK_OK(cudaEventRecord(start));
  CHECK_CALL(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
  CHECK_OK(cudaEventRecord(untimed));
  CHECK_OK(cudaEventRecord(end));
  CHECK_OK(cudaEventSynchronize(end));
  CHECK_OK(cudaEventQuery(end));
  CHECK_OK(cudaEventElapsedTime(&ms, start, end));
  CHECK(ms >= 0);
  CHECK_CALL(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventElapsedTime(nullptr, start, end), cudaErrorInvalidValue);

  CHECK_CALL(cudaEventElapsedTime(&ms, start, nullptr), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventRecord(nullptr), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventSynchronize(nullptr), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  for (const cudaEvent_t event : {start, end, untimed})
    CHECK_OK(cudaEventDestroy(event));
}

TEST_CASE("a stream waits for an event") {
  cudaStream_t s;
  cudaEvent_t event;
  REQUIRE(cudaStreamCreate(&s) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  CHECK_OK(cudaStreamWaitEvent(s, event, 0));
  CHECK_CALL(cudaStreamWaitEvent(s, nullptr, 0), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaStreamWaitEvent(s, event, 7), cudaErrorInvalidValue);
  cudaEventDestroy(event);
  cudaStreamDestroy(s);
}

int calls = 0;
void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *add) {
  calls += status == cudaSuccess ? *static_cast<int *>(add) : 1000;
}
void CUDART_CB on_host(void *add) { calls += *static_cast<int *>(add); }

TEST_CASE("callbacks run once the stream gets there") {
  cudaStream_t s;
  int one = 1, ten = 10;
  REQUIRE(cudaStreamCreate(&s) == cudaSuccess);
  CHECK_OK(cudaStreamAddCallback(s, on_stream, &one, 0));
  CHECK_OK(cudaLaunchHostFunc(s, on_host, &ten));
  CHECK_OK(cudaStreamSynchronize(s));
  CHECK(calls == 11);
  CHECK_CALL(cudaStreamAddCallback(s, on_stream, &one, 1), cudaErrorInvalidValue);
  CHECK_CALL(cudaStreamAddCallback(s, nullptr, nullptr, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaLaunchHostFunc(s, nullptr, nullptr), cudaErrorInvalidValue);
  cudaStreamDestroy(s);
}

} // namespace
