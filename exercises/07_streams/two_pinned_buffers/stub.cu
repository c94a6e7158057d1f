// 07.6 · The buffer that was still under way
//
// Numbers lie in ordinary memory, as shorts. The host turns them into floats, part by part, in two pinned
// buffers that take turns: while one is copied to the device, the other is filled. It fills too early.
#include <cuda_runtime.h>

// n >= 0; both buffers are pinned and have `room` elements. `copied` are events for you, one for each buffer.
// Returns without waiting for the last copies, so a next call begins while they are still under way.
void upload(const short *in,
            int n,
            float factor,
            float *const buffers[2],
            int room,
            float *d_out,
            cudaStream_t stream,
            const cudaEvent_t copied[2]) {
  for (int first = 0, turn = 0; first < n; first += room, ++turn) {
    const int count = n - first < room ? n - first : room;
    float *buffer = buffers[turn % 2];
    // TODO: when may this buffer be filled again? And who says so?
    (void)copied;
    for (int i = 0; i < count; ++i)
      buffer[i] = factor * in[first + i];
    cudaMemcpyAsync(d_out + first, buffer, count * sizeof(float), cudaMemcpyHostToDevice, stream);
    // end of TODO
  }
}
